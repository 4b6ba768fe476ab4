import { number } from "./format.ts";
import { dump } from "./hex.ts";
import { Icon } from "./icons.tsx";
import { useCopied } from "./id.tsx";

/** A hex dump. Says so if the bytes are masked. */
export function Bytes({ hex, size }: { hex: string; size: number }) {
  const [isCopied, copy] = useCopied();
  if (!/^([0-9a-f]{2})*$/.test(hex)) return <p className="text-faint">{number(size)} bytes, shown to operators only.</p>;
  const lines = dump(hex);
  const shown = lines.length * 16;
  return (
    <div className="flex flex-col gap-2">
      {/* biome-ignore lint/a11y/noNoninteractiveTabindex: a scrolling element must be reachable by keyboard */}
      <section className="max-h-96 overflow-auto rounded border bg-ground p-3" aria-label={`${number(size)} bytes`} tabIndex={0}>
        <pre className="mono w-max !text-xs leading-5">
          {lines.map(({ offset, bytes, text }) => (
            <span key={offset} className="block">
              <span className="text-faint">{offset}</span>
              {`  ${bytes}  `}
              <span className="text-accent">{text}</span>
            </span>
          ))}
        </pre>
      </section>
      <p className="flex flex-wrap items-center gap-3 text-faint">
        <span>
          {number(size)} bytes{shown < size && `, the first ${number(shown)} are shown`}
        </span>
        <button type="button" className="button" onClick={() => copy(hex)}>
          <Icon name={isCopied ? "check" : "copy"} />
          <span role="status">{isCopied ? "Copied" : "Copy as hex"}</span>
        </button>
      </p>
    </div>
  );
}
