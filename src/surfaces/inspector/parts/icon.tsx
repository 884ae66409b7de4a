const PATHS = {
  visible: "M3 8.5 6.5 12 13 4.5",
  deferred: "M8 4v4.2l2.8 1.8M14 8A6 6 0 1 1 2 8a6 6 0 0 1 12 0Z",
  hidden: "m4.5 4.5 7 7m0-7-7 7",
  pass: "M8 8h.01",
  defer: "M8 4v4.2l2.8 1.8M14 8A6 6 0 1 1 2 8a6 6 0 0 1 12 0Z",
  hide: "m4.5 4.5 7 7m0-7-7 7",
  arrow: "M3 8h10m-4-4 4 4-4 4",
  open: "m6 4 4 4-4 4",
  close: "m4 4 8 8m0-8-8 8",
  copy: "M6 6V3h7v7h-3M3 6h7v7H3Z",
  done: "M3 8.5 6.5 12 13 4.5",
  restart: "M13 8a5 5 0 1 1-1.6-3.7M13 2.5v3h-3",
  warning: "M8 2.5 14.5 13h-13ZM8 6.5v3M8 11.3h.01",
  note: "M14 8A6 6 0 1 1 2 8a6 6 0 0 1 12 0ZM8 7.5V11M8 5.2h.01",
  download: "M8 2.5v7m-3-3 3 3 3-3M3 13h10",
  pause: "M5.5 3.5v9m5-9v9",
  play: "m5 3.5 7 4.5-7 4.5Z",
  sun: "M8 5.2a2.8 2.8 0 1 0 0 5.6 2.8 2.8 0 0 0 0-5.6ZM8 1.5v1.3M8 13.2v1.3M1.5 8h1.3M13.2 8h1.3M3.4 3.4l.9.9M11.7 11.7l.9.9M12.6 3.4l-.9.9M4.3 11.7l-.9.9",
  moon: "M13.2 9.6A5.6 5.6 0 0 1 6.4 2.8a5.6 5.6 0 1 0 6.8 6.8Z",
  screen: "M2.5 3.5h11v7h-11ZM6 13.5h4M8 10.5v3",
  search: "M11 7A4 4 0 1 1 3 7a4 4 0 0 1 8 0Zm-1 3 3.5 3.5",
  overview: "M2.5 13.5v-5M6.2 13.5v-8M9.8 13.5V7M13.5 13.5V2.5",
  tools: "M2.5 4h11M2.5 8h11M2.5 12h11M6 2.5v11",
  servers: "M3 3h10v4H3ZM3 9h10v4H3ZM5.5 5h.01M5.5 11h.01",
  runs: "M13.5 8A5.5 5.5 0 1 1 8 2.5M8 2.5h3M8 5v3l2 1.5",
  stop: "M4 4h8v8H4Z",
  calls: "M2 8h3l2-5 3 10 2-5h2",
  approvals: "M8 2 13 4v4c0 3-2 5-5 6-3-1-5-3-5-6V4ZM6 8l1.5 1.5L10.5 6.5",
  changes: "M3 5h10m-3-3 3 3-3 3M13 11H3m3-3-3 3 3 3",
  sessions: "M3 3h10v8H7l-3 2.5V11H3ZM5.5 6h5M5.5 8.5h3",
  connect: "M6 2v4M10 2v4M4.5 6h7v2a3.5 3.5 0 0 1-7 0ZM8 11.5V14",
  link: "M6.5 9.5 9.5 6.5M7 4.5 8.5 3A3.2 3.2 0 0 1 13 7.5L11.5 9M9 11.5 7.5 13A3.2 3.2 0 0 1 3 8.5L4.5 7",
} as const;

export type IconName = keyof typeof PATHS;

/** A line drawing beside words; it never carries a meaning alone. */
export function Icon({ name }: { readonly name: IconName }) {
  return (
    <svg class={`icon icon-${name}`} viewBox="0 0 16 16" aria-hidden="true" focusable="false">
      <path d={PATHS[name]} />
    </svg>
  );
}
