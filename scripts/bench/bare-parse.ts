// What an import of XML is measured against: the file through saxes, namespaces resolved, every tag
// and text handed out, and nothing made of it. A worker of its own, which starts as cold as the one
// that imports.
import { SaxesParser } from 'saxes';

declare const self: {
  onmessage: ((event: { data: Uint8Array }) => void) | null;
  postMessage(milliseconds: number): void;
};

self.onmessage = ({ data }) => {
  const began = performance.now();
  const parser = new SaxesParser({ xmlns: true });
  for (const event of ['opentag', 'closetag', 'text'] as const) parser.on(event, () => {});
  parser.write(new TextDecoder().decode(data)).close();
  self.postMessage(performance.now() - began);
};
