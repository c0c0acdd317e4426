// The icons of the pages, on a grid of 24. They are hidden from screen readers, which read the text next to them.
const drawings = {
  account: "M8 8a4 4 0 1 0 8 0 4 4 0 1 0-8 0M4 21c1-4 4-6 8-6s7 2 8 6",
  alert: "M12 4 2.5 20h19zM12 10v4.5M12 17.5v.01",
  check: "m5 12.5 4.5 4.5L19 7.5",
  copy: "M9 9h11v11H9zM5 15H4V4h11v1",
  down: "m6 9.5 6 6 6-6",
  download: "M12 4v11m-5-5 5 5 5-5M4 20h16",
  edit: "m4 20 1-4L16 5l3 3L8 19zM14 7l3 3",
  external: "M11 5H5v14h14v-6M14 4h6v6M20 4l-9 9",
  info: "M3 12a9 9 0 1 0 18 0 9 9 0 1 0-18 0M12 11v5.5M12 7.5v.01",
  key: "M4 15a4 4 0 1 0 8 0 4 4 0 1 0-8 0M11 12l8-8m-3 3 3 3",
  left: "m14.5 6-6 6 6 6",
  moon: "M19.5 14.5A8 8 0 0 1 9.5 4.5a8 8 0 1 0 10 10z",
  more: "M5 12h.01M12 12h.01M19 12h.01",
  plus: "M12 5v14M5 12h14",
  refresh: "M19 8a8 8 0 1 0 1 5M20 4v5h-5",
  right: "m9.5 6 6 6-6 6",
  search: "M4.5 10.5a6 6 0 1 0 12 0 6 6 0 1 0-12 0M15 15l5 5",
  sun: "M8 12a4 4 0 1 0 8 0 4 4 0 1 0-8 0M12 2.5v2M12 19.5v2M2.5 12h2M19.5 12h2M5.300 5.300l1.400 1.400M17.300 17.300l1.400 1.400M18.700 5.300l-1.400 1.400M6.700 17.300l-1.400 1.400",
  system: "M4 5h16v11H4zM9 20h6M12 16v4",
  trash: "M5 7h14M10 7V4h4v3M7 7l1 13h8l1-13",
  up: "m6 14.5 6-6 6 6",
} satisfies Record<string, string>;

export type IconName = keyof typeof drawings;

export function Icon({ name, size = 18 }: { name: IconName; size?: number }) {
  return (
    <svg
      width={size}
      height={size}
      viewBox="0 0 24 24"
      fill="none"
      stroke="currentColor"
      strokeWidth="1.8"
      strokeLinecap="round"
      strokeLinejoin="round"
      aria-hidden="true"
      focusable="false"
    >
      <path d={drawings[name]} />
    </svg>
  );
}
