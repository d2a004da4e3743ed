// Icons of 16 by 16, drawn by their lines.
const PATHS = {
  agent: 'M3 5.5h10v7H3zM8 5.5V3M6 8.5v1.2M10 8.5v1.2M1.2 8v2.5M14.8 8v2.5',
  arrow: 'M3 8h9.5M9 4.5 12.5 8 9 11.5',
  check: 'm3 8.5 3.2 3.2L13 5',
  close: 'm4 4 8 8M12 4l-8 8',
  document: 'M4 1.5h5.5L13 5v9.5H4zM9.5 1.5V5H13M6.3 8.5h4.4M6.3 11h4.4',
  download: 'M8 2v8M4.5 7 8 10.5 11.5 7M3 13.5h10',
  edit: 'M10.5 2.5 13.5 5.5 5.5 13.5H2.5v-3z',
  gate: 'M8 1.5 13.5 3.5v4.5c0 3.2-2.3 5.4-5.5 6.5-3.2-1.1-5.5-3.3-5.5-6.5V3.5zM5.6 8l1.8 1.8 3.2-3.5',
  graph: 'M8 5.5V8M8 8l-4 2.5M8 8l4 2.5M6 3.5h4v2H6zM2 10.5h4v3H2zM10 10.5h4v3h-4z',
  help: 'M6 6a2 2 0 1 1 2.8 1.8c-.6.3-.8.7-.8 1.4M8 11.8v.1M8 1.8a6.2 6.2 0 1 0 0 12.4A6.2 6.2 0 0 0 8 1.8z',
  home: 'M2.5 7 8 2.5 13.5 7v6.5h-4v-4h-3v4h-4z',
  issue: 'M8 1.8a6.2 6.2 0 1 0 0 12.4A6.2 6.2 0 0 0 8 1.8zM8 5v3.5M8 11v.1',
  link: 'M6.5 9.5l3-3M7 4.5 8.5 3a3 3 0 0 1 4.5 4.5L11.5 9M9 11.5 7.5 13A3 3 0 0 1 3 8.5L4.5 7',
  live: 'M2 8h3l2-5 3 10 2-5h2',
  log: 'M2 3h12M2 6.3h8M2 9.6h11M2 13h6',
  matrix: 'M2 2h12v12H2zM2 6h12M2 10h12M6 2v12M10 2v12',
  menu: 'M2 4h12M2 8h12M2 12h12',
  plan: 'M2 4h7M2 8h10M2 12h5M12.5 10.5l1.5 1.5-1.5 1.5',
  print: 'M4.5 6V2h7v4M4.5 11h-3V6h13v5h-3M4.5 9.5h7V14h-7z',
  run: 'M5 3v10l8-5z',
  search: 'M7 2.2a4.8 4.8 0 1 0 0 9.6 4.8 4.8 0 0 0 0-9.6zM10.6 10.6 14 14',
  settings: 'M2 4.5h7M12 4.5h2M2 11.5h2M7 11.5h7M10.5 2.8v3.4M5.5 9.8v3.4',
  signOut: 'M9.5 2.5H3v11h6.5M6.5 8H14M11.5 5.5 14 8l-2.5 2.5',
  sources: 'M5 4 1.5 8 5 12M11 4l3.5 4L11 12M9.3 2.5 6.7 13.5',
  test: 'M6 2v4L2.5 13c-.3.7.2 1.5 1 1.5h9c.8 0 1.3-.8 1-1.5L10 6V2M5 2h6M4.5 9.5h7',
  theme: 'M13.5 9.5A5.7 5.7 0 0 1 6.5 2.5a5.7 5.7 0 1 0 7 7z',
  transfer: 'M2 5h10M9 2l3 3-3 3M14 11H4M7 8l-3 3 3 3',
  upload: 'M8 13V3M4 7l4-4 4 4',
} as const;

export type IconName = keyof typeof PATHS;

export function Icon({ name }: { name: IconName }) {
  return (
    <svg class="icon" viewBox="0 0 16 16" aria-hidden="true">
      <path d={PATHS[name]} />
    </svg>
  );
}
