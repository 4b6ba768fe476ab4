import type { Match as ServerMatch } from "../../../server/matchmaking/operator/match.ts";
import type { queueRoutes } from "../../../server/matchmaking/operator/queue_routes.ts";
import type { OpsTicket, EndedTicket as ServerEndedTicket } from "../../../server/matchmaking/operator/ticket_routes.ts";
import type { Answer } from "./answers.ts";

export type Queues = Answer<typeof queueRoutes, "ops/queues">;
/** One mode. */
export type Queue = Queues["queues"][number];

export type Match = ServerMatch;
export type MatchPlayer = Match["players"][number];
export type MatchState = Match["state"];

export type Ticket = OpsTicket;
export type TicketStatus = Ticket["status"];
/** A ticket that expired or was invalid. */
export type EndedTicket = ServerEndedTicket;
