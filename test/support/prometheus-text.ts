// Reads the text format of Prometheus, version 0.0.4, and refuses what it does not allow.

export interface Family {
  type: string;
  samples: { name: string; labels: Record<string, string>; value: number }[];
}

const SAMPLE = /^([a-z_:][\w:]*)(?:\{(.*)\})? (\S+)$/i;
const LABEL = /([a-z_]\w*)="((?:[^"\\]|\\.)*)"(?:,|$)/gi;
const SUFFIXES: Record<string, RegExp> = {
  histogram: /_(?:bucket|sum|count)$/,
  summary: /_(?:sum|count)$/,
};

/** The families of a page, by name. @throws Error that names the line */
export function readPrometheusText(text: string): Map<string, Family> {
  if (!text.endsWith('\n')) throw new Error('the last line does not end');
  const families = new Map<string, Family>();
  let name = '';
  for (const line of text.split('\n')) {
    const fail = (why: string) => new Error(`${why}: ${line}`);
    if (line === '' || line.startsWith('# HELP ')) continue;
    if (line.startsWith('# TYPE ')) {
      const [, , own = '', type = ''] = line.split(' ');
      if (families.has(own)) throw fail('twice');
      if (!/^(?:counter|gauge|histogram|summary)$/.test(type)) throw fail('no type');
      name = own;
      families.set(name, { type, samples: [] });
      continue;
    }
    const [, sample = '', labels = '', number = ''] = SAMPLE.exec(line) ?? [];
    const family = families.get(name);
    const base = sample.replace(SUFFIXES[family?.type ?? ''] ?? /$^/, '');
    if (!family || (sample !== name && base !== name)) throw fail('outside its family');
    const value = number === '+Inf' ? Number.POSITIVE_INFINITY : Number(number);
    if (Number.isNaN(value) && !/^nan$/i.test(number)) throw fail('no number');
    if (labels.replace(LABEL, '') !== '') throw fail('bad labels');
    const pairs = [...labels.matchAll(LABEL)].map(([, key = '', text = '']) => [key, text]);
    family.samples.push({ name: sample, labels: Object.fromEntries(pairs), value });
  }
  for (const [own, family] of families)
    if (family.type === 'histogram') checkHistogram(own, family);
  return families;
}

/** Buckets never fall, and the last one is the count. */
function checkHistogram(name: string, { samples }: Family): void {
  const series = Map.groupBy(samples, ({ labels: { le: _, ...rest } }) => JSON.stringify(rest));
  for (const own of series.values()) {
    const buckets = own.filter((one) => one.name === `${name}_bucket`).map(({ value }) => value);
    const count = own.find((one) => one.name === `${name}_count`)?.value;
    const falls = buckets.some((value, at) => value < (buckets[at - 1] ?? 0));
    if (falls || buckets.at(-1) !== count) throw new Error(`the buckets of ${name} do not add up`);
  }
}
