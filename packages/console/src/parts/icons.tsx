const PATHS = {
  servers: 'M2 3h12v4H2zM2 9h12v4H2zM4.5 5h.01M4.5 11h.01',
  wire: 'M2 5h10M9 2l3 3-3 3M14 11H4M7 8l-3 3 3 3',
  recordings: 'M8 2.5a5.5 5.5 0 1 0 .01 0M8 6.5a1.5 1.5 0 1 0 .01 0',
  inbox: 'M2 9l2-6h8l2 6v4H2zM2 9h3.5l1 2h3l1-2H14',
  gateway: 'M2 8h4M10 3h4M10 8h4M10 13h4M6 8l4-5M6 8h4M6 8l4 5',
  key: 'M5.5 2.5a3 3 0 1 0 .01 0M7.6 7.6L13 13M13 13v-2.5M13 13h-2.5',
  theme: 'M8 2a6 6 0 1 0 0 12zM8 2a6 6 0 0 1 0 12',
  ok: 'M3 8.5l3.2 3L13 4.5',
  error: 'M4 4l8 8M12 4l-8 8',
  waiting: 'M8 2.5a5.5 5.5 0 1 0 .01 0M8 5v3.2l2 1.3',
  refused: 'M8 2.5a5.5 5.5 0 1 0 .01 0M4.2 4.2l7.6 7.6',
  none: 'M5 8h6',
  calls: 'M3 3v10M13 3v10M3 5.5h9M10 3.5l2.5 2-2.5 2M13 10.5H4',
} as const;

export type IconName = keyof typeof PATHS;

/** A drawing of 16 pixels. The text beside it says the same, so readers of the screen skip it. */
export const Icon = ({ name }: { readonly name: IconName }) => (
  <svg class={`icon ${name}`} viewBox="0 0 16 16" width="16" height="16" aria-hidden="true">
    <path d={PATHS[name]} fill="none" stroke="currentColor" stroke-width="1.4" />
  </svg>
);
