import { infiniteQueryOptions } from "@tanstack/react-query";
import type { userRoutes } from "../../../../server/notification/operator/user_routes.ts";
import type { Answer } from "../../api/answers.ts";
import { get } from "../../api/client.ts";
import { byCursor, userPath } from "../../api/queries.ts";
import type { Show } from "../../parts/user_view.ts";

type InboxAnswer = Answer<typeof userRoutes, "ops/users/:user_id/inbox">;
/** A list of delivered ones has no attempts. */
export type InboxNotification = InboxAnswer["notifications"][number];

const pageSize = 50;

export const inbox = (user: string, show: Show) =>
  infiniteQueryOptions({
    queryKey: ["inbox", user, show],
    queryFn: ({ pageParam, ...context }) =>
      get<InboxAnswer>("notification", userPath(user, "inbox"), { show, limit: pageSize, cursor: pageParam }, context),
    ...byCursor,
  });
