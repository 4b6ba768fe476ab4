import { Outlet, useNavigate, useParams, useSearch } from "@tanstack/react-router";
import { notifications, outbox } from "../../parts/kinds.ts";
import { ListPage } from "./list_page.tsx";

/** The list stays in place while a drawer with its own address is open over it. */
export function OutboxList() {
  const search = useSearch({ from: "/outbox" });
  const { id } = useParams({ strict: false });
  const navigate = useNavigate();
  return (
    <>
      <ListPage
        kind={outbox}
        search={search}
        openId={id}
        show={shown => void navigate({ to: "/outbox", search: shown })}
        open={opened => void navigate({ to: "/outbox/$id", params: { id: opened }, search })}
      />
      <Outlet />
    </>
  );
}

export function NotificationList() {
  const search = useSearch({ from: "/notifications" });
  const { id } = useParams({ strict: false });
  const navigate = useNavigate();
  return (
    <>
      <ListPage
        kind={notifications}
        search={search}
        openId={id}
        show={shown => void navigate({ to: "/notifications", search: shown })}
        open={opened => void navigate({ to: "/notifications/$id", params: { id: opened }, search })}
      />
      <Outlet />
    </>
  );
}
