# One image for every role; the command says which: `bun server/main.ts entitlement:api`.
FROM oven/bun:1.4.4-slim
WORKDIR /kenri
ENV NODE_ENV=production

# Packages first: they change less often than the code. The local stack's PostgreSQL programs (optional packages) stay out.
COPY package.json bun.lock bunfig.toml ./
COPY patches ./patches
RUN bun install --frozen-lockfile --production --omit=optional

COPY server ./server
COPY sql ./sql

USER bun
CMD ["bun", "server/main.ts"]
