import type { ReactNode } from "react";

const drawings = {
  seal: <path d="M3.5 2.5v11M3.5 9.2 12 2.5M6.3 7.2l6.2 6.3" />,
  overview: <path d="M2 9.5A6 6 0 0 1 14 9.5M8 9.5l2.6-3M2.5 12.5h11" />,
  entitlements: <path d="M8 1.8 13.3 4v3.8c0 3.2-2.2 5.4-5.3 6.4-3.1-1-5.3-3.2-5.3-6.4V4zM5.7 8l1.7 1.7 3-3.4" />,
  inbox: <path d="M2 9l2-6h8l2 6v4.5H2zM2 9h3.5l1 2h3l1-2H14" />,
  users: (
    <path d="M6 7.5a2.7 2.7 0 1 0 0-5.4 2.7 2.7 0 0 0 0 5.4zM1.5 13.5c0-2.6 2-4.2 4.5-4.2s4.5 1.6 4.5 4.2M10.6 2.4a2.6 2.6 0 0 1 0 4.8M12 9.7c1.5.6 2.5 2 2.5 3.8" />
  ),
  outbox: <path d="M2.5 9v4h11V9M8 10V2.5M5 5.5l3-3 3 3" />,
  notifications: <path d="M4 11V7a4 4 0 0 1 8 0v4l1.2 1.5H2.8zM6.7 14.5h2.6" />,
  orders: <path d="M2.5 11.5h8M8 9l2.5 2.5L8 14M13.5 4.5h-8M8 2 5.5 4.5 8 7" />,
  matchmaking: <path d="M5.7 11.7a3.7 3.7 0 1 0 0-7.4 3.7 3.7 0 0 0 0 7.4zM10.3 11.7a3.7 3.7 0 1 0 0-7.4 3.7 3.7 0 0 0 0 7.4z" />,
  failures: <path d="M8 2 14.5 13.5h-13zM8 6.5v3.2M8 11.6v.1" />,
  journey: <path d="M4 3.5h.01M4 8h.01M4 12.5h.01M7.5 3.5H14M7.5 8H14M7.5 12.5H14M4 4.5v2.5M4 9v2.5" />,
  key: <path d="M5 11.5a2.7 2.7 0 1 0 0-5.4 2.7 2.7 0 0 0 0 5.4zM7.6 8.2 14 8.2M11.5 8.2v2.6M14 8.2v2" />,
  consistency: <path d="M8 2.5v11M5 13.5h6M3.5 4.5h9M3.5 4.5l-2 4.5h4zM12.5 4.5l-2 4.5h4z" />,
  operations: <path d="M2.5 4h11M2.5 8h7M2.5 12h4M11 10.5l3 2-3 2z" />,
  audit: <path d="M3.5 2h6l3 3v9h-9zM9.5 2v3h3M5.5 8h5M5.5 11h5" />,
  settings: (
    <path d="M2 4.5h5M11 4.5h3M2 11.5h3M9 11.5h5M9 6.3a1.8 1.8 0 1 0 0-3.6 1.8 1.8 0 0 0 0 3.6zM7 13.3a1.8 1.8 0 1 0 0-3.6 1.8 1.8 0 0 0 0 3.6z" />
  ),
  list: <path d="M2.5 3.5h11v9h-11zM2.5 6.5h11M2.5 9.5h11M6 6.5v6" />,
  more: (
    <path d="M3 8.7a.7.7 0 1 0 0-1.4.7.7 0 0 0 0 1.4zM8 8.7a.7.7 0 1 0 0-1.4.7.7 0 0 0 0 1.4zM13 8.7a.7.7 0 1 0 0-1.4.7.7 0 0 0 0 1.4z" />
  ),
  search: <path d="M7 12A5 5 0 1 0 7 2a5 5 0 0 0 0 10zM10.7 10.7 14 14" />,
  refresh: <path d="M13.5 8A5.5 5.5 0 1 1 11.7 4M13.5 1.8v3h-3" />,
  pause: <path d="M5.5 3.5v9M10.5 3.5v9" />,
  copy: <path d="M6 6h7.5v7.5H6zM10 6V2.5H2.5V10H6" />,
  check: <path d="m3 8.5 3.2 3.2L13 4.5" />,
  close: <path d="m4 4 8 8M12 4l-8 8" />,
  chevron: <path d="m6 3.5 4.5 4.5L6 12.5" />,
  light: (
    <path d="M8 11a3 3 0 1 0 0-6 3 3 0 0 0 0 6zM8 1.5V3M8 13v1.5M1.5 8H3M13 8h1.5M3.4 3.4l1 1M11.6 11.6l1 1M12.6 3.4l-1 1M4.4 11.6l-1 1" />
  ),
  dark: <path d="M13.5 9.5A6 6 0 0 1 6.5 2.5a6 6 0 1 0 7 7z" />,
  system: <path d="M2 3h12v8H2zM6 14h4M8 11v3" />,
  out: <path d="M6.5 2.5h-4v11h4M10 5l3 3-3 3M13 8H6" />,
  keys: <path d="M1.5 4h13v8h-13zM4 6.5h.01M6.7 6.5h.01M9.3 6.5h.01M12 6.5h.01M5 9.5h6" />,
  plus: <path d="M8 3v10M3 8h10" />,
  pending: <path d="M8 14A6 6 0 1 0 8 2a6 6 0 0 0 0 12zM8 4.8V8l2.2 1.6" />,
  flight: <path d="M2 8h10M8.5 4 12.5 8l-4 4" />,
  done: <path d="M8 14A6 6 0 1 0 8 2a6 6 0 0 0 0 12zM5.3 8.2l1.9 1.9 3.5-3.9" />,
  retry: <path d="M13 8A5 5 0 1 1 11.4 4.3M13 2.2v2.9h-2.9" />,
  failed: <path d="M8 14A6 6 0 1 0 8 2a6 6 0 0 0 0 12zM5.9 5.9l4.2 4.2M10.1 5.9l-4.2 4.2" />,
  stale: <path d="M3 2.5h10M3 13.5h10M4.5 2.5c0 4 7 4 7 11M11.5 2.5c0 4-7 4-7 11" />,
} satisfies Record<string, ReactNode>;

export type IconName = keyof typeof drawings;
export const isIcon = (name: string): name is IconName => name in drawings;

/** Always next to a word, never in place of one. */
export function Icon({ name, className = "size-4" }: { name: IconName; className?: string }) {
  return (
    <svg
      aria-hidden="true"
      viewBox="0 0 16 16"
      fill="none"
      stroke="currentColor"
      strokeWidth="1.5"
      strokeLinecap="round"
      strokeLinejoin="round"
      className={`shrink-0 ${className}`}
    >
      {drawings[name]}
    </svg>
  );
}
