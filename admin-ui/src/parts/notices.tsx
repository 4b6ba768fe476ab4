import { type ErrorComponentProps, Link } from "@tanstack/react-router";
import type { ReactNode } from "react";
import { ApiError } from "../api/client.ts";
import { Icon } from "./icons.tsx";

/** An error in place, with a retry button. The rest of the page still works. */
export function ErrorNotice({ what, error, retry }: { what: string; error: unknown; retry?: () => void }) {
  const detail = error instanceof Error ? error.message : String(error);
  return (
    <div role="alert" className="flex flex-wrap items-center gap-x-3 gap-y-2 bg-failed-ground px-4 py-3 text-failed">
      <Icon name="failed" />
      <p className="min-w-0 flex-1 break-words">
        <strong className="font-semibold">{what}</strong> {detail}
        {error instanceof ApiError && error.status > 0 && <span className="mono ml-2">{error.code}</span>}
      </p>
      {retry && (
        <button type="button" className="button" onClick={retry}>
          Try again
        </button>
      )}
    </div>
  );
}

/** An empty list or page: the reason, and the next step. */
export function EmptyState({ title, children }: { title: string; children?: ReactNode }) {
  return (
    <div className="flex flex-col items-center gap-2 px-4 py-10 text-center">
      <p className="text-base font-medium">{title}</p>
      {children && <div className="max-w-[70ch] text-soft">{children}</div>}
    </div>
  );
}

/** Placeholder rows until the first response arrives. */
export function Skeleton({ rows = 6 }: { rows?: number }) {
  return (
    <div className="late" aria-hidden="true">
      {Array.from({ length: rows }, (_, index) => (
        // biome-ignore lint/suspicious/noArrayIndexKey: all rows are equal
        <div key={index} className="flex h-[2.125rem] items-center border-b px-3 last:border-0">
          <div className="h-2.5 w-full max-w-[60%] rounded bg-raised" />
        </div>
      ))}
    </div>
  );
}

export function NotFound() {
  return (
    <EmptyState title="Page not found">
      <Link to="/" className="link">
        Go to the overview
      </Link>
    </EmptyState>
  );
}

export function PageError({ error, reset }: ErrorComponentProps) {
  return (
    <main className="p-4">
      <div className="panel overflow-hidden">
        <ErrorNotice what="This page failed." error={error} retry={reset} />
      </div>
    </main>
  );
}
