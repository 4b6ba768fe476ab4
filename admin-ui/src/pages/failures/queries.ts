import { infiniteQueryOptions, queryOptions } from "@tanstack/react-query";
import { get, type RawDeadLetter, type RawDeadLetterDetail } from "../../api/client.ts";
import { cursorOf, type Page, paging } from "../../api/queries.ts";
import { pageSize } from "../../parts/settings.ts";

/** Unreadable messages: open ones, or all. */
export const rawDeadLetters = (which?: "all") =>
  infiniteQueryOptions({
    queryKey: ["raw dead letters", which, pageSize()],
    queryFn: async ({ pageParam, ...context }): Promise<Page<RawDeadLetter>> => {
      const parameters = { which, limit: pageSize(), cursor: pageParam };
      const page = await get<Record<string, unknown>>("notification", "raw-dead-letters", parameters, context);
      return { rows: page.raw_dead_letters as RawDeadLetter[], next: cursorOf(page) };
    },
    ...paging,
  });

export const rawDeadLetter = (id: string) =>
  queryOptions({
    queryKey: ["raw dead letter", id],
    queryFn: context => get<RawDeadLetterDetail>("notification", `raw-dead-letters/${encodeURIComponent(id)}`, {}, context),
  });
