import { useEffect, useState } from "react";
import { ago, exact } from "./format.ts";
import { useSettings } from "./settings.ts";

const tickEvery = 1000;

/** The current time, updated every second. */
export function useNow(): number {
  const [now, setNow] = useState(() => Date.now());
  useEffect(() => {
    const timer = setInterval(() => setNow(Date.now()), tickEvery);
    return () => clearInterval(timer);
  }, []);
  return now;
}

/** In lists: how long ago, the exact time on hover. */
export function Ago({ at }: { at: string | null | undefined }) {
  const { zone } = useSettings();
  const now = useNow();
  if (!at) return <span className="text-faint">–</span>;
  return (
    <time dateTime={at} title={exact(at, zone)} className="mono text-soft">
      {ago(at, now)}
    </time>
  );
}

/** In details: exact, how long ago on hover. */
export function At({ at }: { at: string | null | undefined }) {
  const { zone } = useSettings();
  if (!at) return <span className="text-faint">–</span>;
  return (
    <time dateTime={at} title={ago(at)} className="mono">
      {exact(at, zone)}
    </time>
  );
}
