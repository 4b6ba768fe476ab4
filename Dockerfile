# The operators' console, in a stage of its own: its build tools are not needed to serve it.
FROM oven/bun:1.4.4-slim AS console
WORKDIR /kenri
COPY package.json bun.lock bunfig.toml ./
COPY patches ./patches
RUN bun install --frozen-lockfile
COPY admin-ui ./admin-ui
# The console contains the row kinds of the systems.
COPY server ./server
RUN bun node_modules/.bin/vite build admin-ui

# One image for every role; the command names the role: `bun server/main.ts entitlement:api`.
FROM oven/bun:1.4.4-slim
WORKDIR /kenri
ENV NODE_ENV=production

# Packages first: they change less often than the code. Without the PostgreSQL programs of the local stack (optional packages).
COPY package.json bun.lock bunfig.toml ./
COPY patches ./patches
RUN bun install --frozen-lockfile --production --omit=optional

COPY server ./server
COPY sql ./sql
# The broker of compose.yaml.
COPY stack/paper_broker ./stack/paper_broker
COPY --from=console /kenri/admin-ui/dist ./admin-ui/dist

# A new volume at /data belongs to this user.
RUN mkdir /data && chown bun:bun /data
USER bun
CMD ["bun", "server/main.ts"]
