import { useQuery } from "@tanstack/react-query";
import { useState } from "react";
import type { PublishedMessage } from "../api/answers.ts";
import * as queries from "../api/queries.ts";
import { Bytes } from "./bytes.tsx";
import { HeaderTable } from "./header_table.tsx";
import { Icon } from "./icons.tsx";
import { ErrorNotice, Skeleton } from "./notices.tsx";

/** The event's message as published to the stream. Loaded when the section is opened. */
export function AsPublished({ eventId }: { eventId: string }) {
  const [isOpen, setOpen] = useState(false);
  return (
    <section className="mt-6">
      <h3>
        <button type="button" className="heading flex items-center gap-1.5" aria-expanded={isOpen} onClick={() => setOpen(!isOpen)}>
          <Icon name="chevron" className={`size-3 ${isOpen ? "rotate-90" : ""}`} />
          As published
        </button>
      </h3>
      {isOpen && <Opened eventId={eventId} />}
    </section>
  );
}

function Opened({ eventId }: { eventId: string }) {
  const { data, error, isPending, refetch } = useQuery(queries.message(eventId));
  return (
    <div className="mt-2">
      {error && <ErrorNotice what="The message cannot be shown." error={error} retry={() => void refetch()} />}
      {isPending && <Skeleton rows={9} />}
      {data && <Message message={data} />}
    </div>
  );
}

const Message = ({ message: { subject, headers, decoded, hex, size } }: { message: PublishedMessage }) => (
  <div className="flex flex-col gap-4">
    <div className="overflow-x-auto rounded border">
      <table className="grid-table">
        <caption className="sr-only">Protobuf fields</caption>
        <thead>
          <tr>
            <th className="end">#</th>
            <th>Field</th>
            <th className="w-full">Value</th>
            <th className="max-sm:hidden">Type</th>
          </tr>
        </thead>
        <tbody>
          {decoded.map(field => (
            <tr key={field.number}>
              <td className="end mono text-faint">{field.number}</td>
              <td className="mono">{field.name}</td>
              <td className="mono min-w-40 !whitespace-normal break-all">
                {field.value === null ? <span className="text-faint">–</span> : String(field.value)}
              </td>
              <td className="mono text-faint max-sm:hidden">{field.type.replace("google.protobuf.", "")}</td>
            </tr>
          ))}
        </tbody>
      </table>
    </div>
    <div>
      <h4 className="mb-1.5 font-medium">
        Headers, subject <span className="mono">{subject}</span>
      </h4>
      <HeaderTable headers={headers} />
    </div>
    <div>
      <h4 className="mb-1.5 font-medium">Bytes</h4>
      <Bytes hex={hex} size={size} />
    </div>
  </div>
);
