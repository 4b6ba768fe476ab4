import { infiniteQueryOptions } from "@tanstack/react-query";
import { get } from "../../api/client.ts";
import { byCursor, userPath } from "../../api/queries.ts";
import type { Show } from "../../parts/user_view.ts";

/** One that was delivered says nothing of its attempts where only those are shown. */
export interface InboxNotification {
  readonly notification_id: string;
  readonly event_id: string;
  readonly type: string;
  readonly status: string;
  readonly stale: boolean;
  readonly attempt_count?: number;
  readonly last_error?: string | null;
  readonly created_at: string;
  readonly sent_at: string | null;
  readonly position: number | null;
  readonly read_at: string | null;
  readonly payload: unknown;
}

export interface InboxPage {
  readonly notifications: readonly InboxNotification[];
  readonly unread: number;
  readonly next_cursor?: string;
}

const pageSize = 50;

export const inbox = (user: string, show: Show) =>
  infiniteQueryOptions({
    queryKey: ["inbox", user, show],
    queryFn: ({ pageParam, ...context }) =>
      get<InboxPage>("notification", userPath(user, "inbox"), { show, limit: pageSize, cursor: pageParam }, context),
    ...byCursor,
  });
