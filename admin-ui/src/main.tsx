import { QueryClient, QueryClientProvider } from "@tanstack/react-query";
import { RouterProvider } from "@tanstack/react-router";
import { createRoot } from "react-dom/client";
import { ApiError } from "./api/client.ts";
import { applyTheme } from "./parts/settings.ts";
import { consoleRouter } from "./router.tsx";
import "./styles.css";

applyTheme();
const client = new QueryClient({
  defaultOptions: {
    queries: {
      // A refused request is refused again. An unreachable server may come back.
      retry: (failures, error) => failures < 2 && !(error instanceof ApiError && error.status >= 400 && error.status < 500),
      retryDelay: 700,
      staleTime: 1000,
    },
  },
});
createRoot(document.getElementById("console")!).render(
  <QueryClientProvider client={client}>
    <RouterProvider router={consoleRouter()} />
  </QueryClientProvider>,
);
