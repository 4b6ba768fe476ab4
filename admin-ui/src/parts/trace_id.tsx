import { useQuery } from "@tanstack/react-query";
import { traceViewer } from "../api/queries.ts";
import { Id } from "./id.tsx";

/** The id of a trace, and a link to its page in the trace viewer if the gateway knows one. */
export function TraceId({ id }: { id: string }) {
  const { data } = useQuery(traceViewer);
  return (
    <span className="inline-flex flex-wrap items-center gap-x-3">
      <Id id={id} whole />
      {data?.url && (
        <a href={data.url.replaceAll("{trace_id}", encodeURIComponent(id))} target="_blank" rel="noreferrer" className="link">
          Open the trace
        </a>
      )}
    </span>
  );
}
