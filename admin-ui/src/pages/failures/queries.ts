import { infiniteQueryOptions, queryOptions } from "@tanstack/react-query";
import type { SignatureFault } from "../../../../server/kernel/nats/signatures.ts";
import type { rawRoutes } from "../../../../server/notification/operator/raw_routes.ts";
import type { RawDeadLettersListAllRow } from "../../../../server/notification/sql.gen.ts";
import type { Answer, Narrow } from "../../api/answers.ts";
import { get } from "../../api/client.ts";
import { byCursor } from "../../api/queries.ts";
import { pageSize } from "../../parts/settings.ts";

type Page = Answer<typeof rawRoutes, "ops/raw-dead-letters">;
type Detail = Answer<typeof rawRoutes, "ops/raw-dead-letters/:id">;
type Signed = { untrusted: SignatureFault | null };
/** `reprocessed_at` is there when all are listed. */
export type RawDeadLetter = Narrow<Page["raw_dead_letters"][number], Signed> & Partial<Pick<RawDeadLettersListAllRow, "reprocessed_at">>;
export type RawDeadLetterDetail = Narrow<Detail, Signed & { headers: Record<string, string> }>;

/** Unreadable messages: open ones, or all. */
export const rawDeadLetters = (which?: "all") =>
  infiniteQueryOptions({
    queryKey: ["raw dead letters", which, pageSize()],
    queryFn: ({ pageParam, ...context }) => {
      const parameters = { which, limit: pageSize(), cursor: pageParam };
      return get<Omit<Page, "raw_dead_letters"> & { raw_dead_letters: RawDeadLetter[] }>(
        "notification",
        "raw-dead-letters",
        parameters,
        context,
      );
    },
    ...byCursor,
  });

export const rawDeadLetter = (id: string) =>
  queryOptions({
    queryKey: ["raw dead letter", id],
    queryFn: context => get<RawDeadLetterDetail>("notification", `raw-dead-letters/${encodeURIComponent(id)}`, {}, context),
  });
