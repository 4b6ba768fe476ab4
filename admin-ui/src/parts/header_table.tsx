/** The headers of a message. */
export function HeaderTable({ headers }: { headers: Readonly<Record<string, string>> }) {
  const named = Object.entries(headers);
  if (named.length === 0) return <p className="text-faint">None.</p>;
  return (
    <dl className="grid gap-x-4 gap-y-1 sm:grid-cols-[9rem_minmax(0,1fr)]">
      {named.map(([name, value]) => (
        <div key={name} className="contents">
          <dt className="mono text-faint">{name}</dt>
          <dd className="mono mb-1 break-all sm:mb-0">{value}</dd>
        </div>
      ))}
    </dl>
  );
}
