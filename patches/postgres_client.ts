// Runs one scenario of postgres.test.ts: `bun postgres_client.ts <scenario>`. Prints "done" and exits, or fails.
import assert from "node:assert/strict";
import { withTimeout } from "../server/kernel/life/deadline.ts";
import { until } from "../stack/wait.ts";
import {
  admin,
  closeAll,
  fails,
  gate,
  handOn,
  listen,
  lost,
  pidOf,
  pool,
  server,
  settles,
  sleeping,
  terminate,
  works,
} from "./postgres_tools.ts";

export type Scenario = keyof typeof scenarios;

const scenarios = {
  async outageUnderLoad() {
    const connections = 10;
    const sql = pool({ max: connections });
    await admin`create table halves (id int, half int)`;
    const committed: number[] = [];
    let last = 0;
    const transact = async () => {
      const id = ++last;
      await sql.begin(async tx => {
        await tx`insert into halves values (${id}, 1)`;
        await Promise.all([tx`select pg_sleep(0.002)`, tx`select ${id}::int`, tx`insert into halves values (${id}, 2)`]);
      });
      committed.push(id);
    };
    const read = async () => {
      await sql`select count(*) from halves where id = ${last}`;
    };
    const untilItFails = async (work: () => Promise<void>): Promise<void> => {
      for (;;) await work();
    };
    for (let round = 1; round <= 5; round++) {
      const before = committed.length;
      const workers = Array.from({ length: 30 }, (_, n) => untilItFails(n % 3 === 0 ? read : transact));
      const outcomes = Promise.allSettled(workers);
      await until(`load in round ${round}`, 10_000, () => committed.length >= before + 50, 1);
      await server("halt");
      await withTimeout(15_000, `all workers in round ${round}`, outcomes);
      await server("start");
      const fresh = Array.from({ length: 20 }, (_, n) => sql`select ${n}::int as n, pg_backend_pid() as pid, pg_sleep(0.05)`);
      const answers = await withTimeout(5_000, `fresh queries in round ${round}`, Promise.all(fresh));
      assert.deepEqual(
        answers.map(([row]) => row?.n),
        fresh.map((_, n) => n),
      );
      assert.equal(new Set(answers.map(([row]) => row?.pid)).size, connections);
    }
    const rows = await pool()<{ id: number; halves: number }[]>`select id, count(*)::int as halves from halves group by id`;
    const halves = new Map(rows.map(row => [row.id, row.halves]));
    assert.deepEqual(
      rows.filter(row => row.halves !== 2),
      [],
      "transactions that were torn",
    );
    assert.deepEqual(
      committed.filter(id => !halves.has(id)),
      [],
      "transactions that were lost after commit",
    );
  },

  async transactionAfterItsConnection() {
    await admin`create table touched (who text)`;
    const sql = pool();
    const [first, second] = [gate(), gate()];
    const [inside, wrote] = [Promise.withResolvers<number>(), gate()];
    const late = Promise.withResolvers<void>();
    const dead = sql.begin(async tx => {
      inside.resolve(await pidOf(tx));
      await first.opened;
      await fails("a query after the connection", tx`insert into touched values ('dead')`, ...lost).then(late.resolve, late.reject);
      throw new Error("so it rolls back");
    });
    const failed = fails("the transaction", dead, ...lost);
    await terminate(await inside.promise);
    await failed;
    const living = sql.begin(async tx => {
      await tx`insert into touched values ('living')`;
      wrote.open();
      await second.opened;
    });
    await settles("the next transaction", wrote.opened);
    first.open();
    await late.promise;
    await admin`select`; // enough time for a rollback that must not happen
    second.open();
    await settles("its commit", living);
    assert.deepEqual([...(await admin`select who from touched`)], [{ who: "living" }]);
  },

  async queuedInTransaction() {
    const sql = pool();
    const inside = Promise.withResolvers<number>();
    let queued: Promise<unknown> | undefined;
    const dead = sql.begin(async tx => {
      const pid = await pidOf(tx);
      const work = [tx`select pg_sleep(${60})`, tx`select 1`, tx`select ${2}::int`];
      queued = Promise.all(work.map((query, n) => fails(`query ${n}`, query, ...lost)));
      inside.resolve(pid);
      await queued;
    });
    const failed = fails("the transaction", dead, ...lost);
    await sleeping(await inside.promise);
    await terminate(await inside.promise);
    await Promise.all([failed, queued]);
    await works(sql);
  },

  async oldError() {
    const sql = pool({ fetch_types: false });
    for (let round = 1; round <= 3; round++) {
      const inside = Promise.withResolvers<number>();
      const dead = sql.begin(async tx => {
        inside.resolve(await pidOf(tx));
        await tx`select pg_sleep(${60})`;
      });
      const failed = fails("the transaction", dead, ...lost);
      await sleeping(await inside.promise);
      await terminate(await inside.promise);
      await failed;
      await works(sql);
    }
  },

  async oldRows() {
    let seen = 0;
    const row = (value: object) => {
      seen++;
      return value;
    };
    const sql = pool({ fetch_types: false, transform: { row } });
    const pid = await pidOf(sql);
    // Enough rows before the sleep that the server has sent some.
    const broken = sql`select i, pg_sleep(case when i > 2000 then 60 else 0 end) from generate_series(1, 3000) i`;
    const failed = fails("the query", broken, ...lost);
    await until("some rows", 5_000, () => seen > 100);
    await terminate(pid);
    await failed;
    await works(sql);
  },

  async rowsBeforeError() {
    const sql = pool();
    const broken = sql`select i, 1 / (4 - i) as n from generate_series(1, 10) i`;
    const next = sql`select i from generate_series(1, 5) i`;
    await fails("the query", broken, "22012");
    const rows = await settles("the query behind it", next);
    assert.deepEqual(
      [...rows].map(row => row?.i),
      [1, 2, 3, 4, 5],
    );
  },

  async deathAtStart() {
    let deaths = 0;
    const { port } = await listen(socket =>
      handOn(socket, piece => {
        if (deaths > 0 || !piece.includes("pg_catalog.pg_type")) return false;
        deaths++;
        socket.resetAndDestroy();
        return true;
      }),
    );
    const sql = pool({ port });
    await fails("the first query", sql`select 1`, ...lost);
    assert.equal(deaths, 1);
    await works(sql);
  },

  async closedAtOnce() {
    let times = 0;
    const { port } = await listen(socket => {
      times++;
      socket.end();
    });
    await fails("the query", pool({ port })`select 1`, ...lost);
    assert.equal(times, 1);
  },

  async reserveWaits() {
    const sql = pool();
    const pid = await pidOf(sql);
    const failed = fails("the query before it", sql`select pg_sleep(${60})`, ...lost);
    await sleeping(pid);
    const waiting = sql.reserve();
    await terminate(pid);
    await failed;
    const reserved = await settles("reserve()", waiting);
    await works(reserved);
    reserved.release();
    await works(sql);
  },

  async reservedLost() {
    const sql = pool();
    const reserved = await sql.reserve();
    const pid = await pidOf(reserved);
    const work = [reserved`select pg_sleep(${60})`, reserved`select 1`].map((query, n) => fails(`query ${n}`, query, ...lost));
    await sleeping(pid);
    await terminate(pid);
    await Promise.all(work);
    await fails("a query later", reserved`select 2`, ...lost);

    const [begun, finish] = [gate(), gate()];
    const transaction = sql.begin(async tx => {
      await tx`select pg_current_xact_id()`;
      begun.open();
      await finish.opened;
    });
    await settles("somebody's transaction", begun.opened);
    reserved.release();
    const outsider = sql`select pg_current_xact_id_if_assigned() is not null as inside`.execute();
    await admin`select`; // enough time to get into the transaction if that were possible
    finish.open();
    await settles("its commit", transaction);
    assert.deepEqual([...(await settles("an outsider's query", outsider))], [{ inside: false }]);
  },

  async endDuringDeath() {
    const sql = pool();
    const pid = await pidOf(sql);
    const failed = fails(
      "the transaction",
      sql.begin(tx => tx`select pg_sleep(60)`),
      ...lost,
    );
    await sleeping(pid);
    const ended = sql.end();
    await terminate(pid);
    await failed;
    await settles("end()", ended);
  },

  async endDuringReconnect() {
    const { port, listener } = await listen(() => {});
    await new Promise(resolve => listener.close(resolve));
    const sql = pool({ port, backoff: () => 0.5 });
    await fails("a query to nobody", sql`select 1`, "ECONNREFUSED");
    const destroyed = fails("a query that waits to connect", sql`select 2`, "CONNECTION_DESTROYED");
    await new Promise(resolve => setImmediate(resolve)); // it has been sent now
    await sql.end({ timeout: 0 });
    await destroyed;
    // Now a silent server listens: a reconnect timer that is left would connect and keep this process alive until connect_timeout.
    await listen(() => {}, port);
  },
};

if (import.meta.main) {
  for (const event of ["uncaughtException", "unhandledRejection"] as const) {
    process.on(event, (error: unknown) => {
      console.error(`${event}:`, error);
      process.exit(70);
    });
  }
  const scenario = scenarios[process.argv[2] as Scenario];
  await scenario();
  await closeAll();
  console.log("done");
  process.disconnect?.();
}
