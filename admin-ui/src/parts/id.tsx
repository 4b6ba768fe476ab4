import { useEffect, useState } from "react";
import { shortId } from "./format.ts";
import { Icon } from "./icons.tsx";

/** Copies text and reports it for a moment. */
export function useCopied(): [isCopied: boolean, copy: (text: string) => void] {
  const [at, setAt] = useState(0);
  useEffect(() => {
    if (at === 0) return;
    const timer = setTimeout(() => setAt(0), 1500);
    return () => clearTimeout(timer);
  }, [at]);
  return [at > 0, text => void navigator.clipboard.writeText(text).then(() => setAt(Date.now()))];
}

export interface IdProps {
  readonly id: string;
  readonly whole?: boolean;
  /** A name to show in place of the id. */
  readonly name?: string;
}

/** An id, shortened unless `whole` is set. A click copies it. */
export function Id({ id, whole = false, name }: IdProps) {
  const [isCopied, copy] = useCopied();
  return (
    <button
      type="button"
      title={`${id} (copy)`}
      className={`${name === undefined ? "mono" : ""} group inline-flex max-w-full items-center gap-1 text-left hover:text-accent`}
      onClick={event => {
        event.stopPropagation();
        copy(id);
      }}
    >
      <span className={whole ? "break-all" : "max-w-56 truncate"}>{name ?? (whole ? id : shortId(id))}</span>
      <span className="sr-only">{isCopied ? "copied" : "copy"}</span>
      <Icon
        name={isCopied ? "check" : "copy"}
        className={`size-3 ${isCopied ? "text-done" : "text-faint opacity-0 group-hover:opacity-100 group-focus-visible:opacity-100"}`}
      />
    </button>
  );
}
