import type { ReactNode } from "react";

/** A list of names and values. */
export function Facts({ facts }: { facts: readonly (readonly [name: string, value: ReactNode])[] }) {
  return (
    <dl className="grid grid-cols-[8.5rem_1fr] gap-x-4 gap-y-1.5">
      {facts.map(([name, value]) => (
        <div key={name} className="contents">
          <dt className="text-faint">{name}</dt>
          <dd className="min-w-0 break-words">{value ?? <span className="text-faint">–</span>}</dd>
        </div>
      ))}
    </dl>
  );
}

export function Section({ title, children }: { title: string; children: ReactNode }) {
  return (
    <section className="mt-6 first:mt-0">
      <h3 className="heading mb-2">{title}</h3>
      {children}
    </section>
  );
}

/** Preformatted text. */
export function Verbatim({ text, tone = "" }: { text: string; tone?: string }) {
  return (
    <pre
      // biome-ignore lint/a11y/noNoninteractiveTabindex: a scrolling element must be reachable by keyboard
      tabIndex={0}
      className={`mono max-h-80 overflow-auto rounded border bg-ground p-3 whitespace-pre-wrap ${tone}`}
    >
      {text}
    </pre>
  );
}
