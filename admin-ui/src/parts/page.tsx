import { type ReactNode, useEffect } from "react";

export interface PageProps {
  readonly title: string;
  readonly about?: ReactNode;
  readonly actions?: ReactNode;
  readonly children: ReactNode;
}

/** A title, actions at the right, and the content over the full width. */
export function Page({ title, about, actions, children }: PageProps) {
  useEffect(() => {
    document.title = `${title} · Kenri`;
  }, [title]);
  return (
    <div className="flex min-w-0 flex-col gap-3 p-4 md:px-6 md:py-5">
      <header className="flex min-h-8 flex-wrap items-center gap-x-4 gap-y-2">
        <h1 className="text-lg font-semibold tracking-tight">{title}</h1>
        {about && <div className="min-w-0 text-faint">{about}</div>}
        <div className="ml-auto flex flex-wrap gap-2">{actions}</div>
      </header>
      {children}
    </div>
  );
}

/** A titled section of a page. An error in it does not affect other sections. */
export function Panel({ title, aside, children }: { title: string; aside?: ReactNode; children: ReactNode }) {
  return (
    <section className="panel min-w-0 overflow-hidden" aria-label={title}>
      <header className="flex min-h-10 flex-wrap items-center justify-between gap-x-4 gap-y-1 border-b px-4 py-2">
        <h2 className="font-semibold">{title}</h2>
        {aside}
      </header>
      {children}
    </section>
  );
}
