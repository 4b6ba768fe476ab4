import { infiniteQueryOptions, queryOptions } from "@tanstack/react-query";
import { ask, type RawLetter, type RawLetterDetail } from "../../api/api.ts";
import { cursorOf, type Page, paging } from "../../api/queries.ts";
import { pageSize } from "../../parts/settings.ts";

/** Messages that could not be read: those still open, or all. */
export const rawLetters = (which?: "all") =>
  infiniteQueryOptions({
    queryKey: ["raw letters", which, pageSize()],
    queryFn: async ({ pageParam, ...asking }): Promise<Page<RawLetter>> => {
      const asked = { which, limit: pageSize(), cursor: pageParam };
      const page = await ask<Record<string, unknown>>("notification", "raw-dead-letters", asked, asking);
      return { rows: page.raw_dead_letters as RawLetter[], next: cursorOf(page) };
    },
    ...paging,
  });

export const rawLetter = (id: string) =>
  queryOptions({
    queryKey: ["raw letter", id],
    queryFn: asking => ask<RawLetterDetail>("notification", `raw-dead-letters/${encodeURIComponent(id)}`, {}, asking),
  });
