import { promisify } from "node:util";
import { zstdCompress, zstdDecompress } from "node:zlib";
import { MATERIAL_BYTES, MATERIAL_FILES } from "../../domain/defaults.ts";
import { Failure } from "../../domain/failure.ts";
import type { Entropy } from "../../runtime/clock.ts";
import type { MaterialStore } from "../shared-store.ts";
import type { PostgresDatabase } from "./connection.ts";
import { ask, type Sql } from "./statement.ts";

const compress = promisify(zstdCompress);
const decompress = promisify(zstdDecompress);

/** Bytes of a chunk before it is compressed: two of them are in memory at once. */
const CHUNK_BYTES = 1024 * 1024;

/** Files as large as they may be, with what an archive says of each. */
const MAX_BYTES = MATERIAL_BYTES + MATERIAL_FILES * 4_096;

/** Every offer of work asks for its files, so files that nobody has asked for since are needed by older work alone. */
const UNUSED = "30 days";
/** The process that began to keep it is gone. */
const UNFINISHED = "6 hours";
const SWEEP_MS = 3_600_000;

/**
 * Files in the database, cut into chunks that are compressed one by one. Until all of them are there they have a name of their
 * own, with a row without chunks: who keeps the same at the same time, or breaks off, is in nobody's way.
 */
export class PostgresMaterials implements MaterialStore, Disposable {
  readonly #database: PostgresDatabase;
  readonly #entropy: Entropy;
  readonly #timer: ReturnType<typeof setInterval>;

  constructor(database: PostgresDatabase, entropy: Entropy) {
    this.#database = database;
    this.#entropy = entropy;
    this.#timer = setInterval(() => void this.sweep().catch(() => undefined), SWEEP_MS).unref();
  }

  async has(digest: string): Promise<boolean> {
    return (await this.#ask(USE, [digest])).count > 0;
  }

  async keep(digest: string, bytes: AsyncIterable<Uint8Array>): Promise<void> {
    const upload = `${digest}#${this.#entropy(8)}`;
    await this.#ask(BEGIN, [upload]);
    try {
      let [chunks, size] = [0, 0];
      for await (const chunk of cut(bytes)) {
        size += chunk.length;
        if (size > MAX_BYTES)
          throw new Failure("storage_failed", `more than ${MAX_BYTES} bytes of files are not shared`);
        const values = [upload, chunks, await compress(chunk)];
        await this.#database.write((sql) => sql.unsafe(KEEP, values));
        chunks += 1;
      }
      await this.#database.transaction((sql) => finish(sql, { digest, upload, size, chunks }));
    } catch (error) {
      await this.#database.transaction((sql) => drop(sql, upload)).catch(() => undefined);
      throw error;
    }
  }

  async *read(digest: string): AsyncGenerator<Uint8Array> {
    const [row] = await this.#ask<{ chunks: number; bytes: string }>(USE, [digest]);
    if (row === undefined) throw notThere(digest);
    let left = Number(row.bytes);
    for (let n = 0; n < row.chunks; n += 1) {
      const chunk = await this.#chunk(digest, n);
      left -= chunk.length;
      yield chunk;
    }
    if (left !== 0) throw await this.#damaged(digest);
  }

  async drop(digest: string): Promise<void> {
    await this.#database.transaction((sql) => drop(sql, digest));
  }

  /** Removes what nobody uses. @throws Failure */
  async sweep(): Promise<void> {
    await this.#database.transaction(async (sql) => {
      await ask(sql, SWEEP, []);
    });
  }

  [Symbol.dispose](): void {
    clearInterval(this.#timer);
  }

  async #chunk(digest: string, n: number): Promise<Uint8Array> {
    const [row] = await this.#database.read((sql) => ask<{ data: Uint8Array }>(sql, READ, [digest, n]));
    if (row === undefined) throw await this.#damaged(digest);
    try {
      return await decompress(row.data, { maxOutputLength: CHUNK_BYTES });
    } catch (error) {
      throw await this.#damaged(digest, error);
    }
  }

  /** Removes damaged files. The next offer of work with them stores them anew. */
  async #damaged(digest: string, cause?: unknown): Promise<Failure> {
    await this.drop(digest);
    return new Failure("storage_failed", `the stored files ${digest} were damaged, and are removed; start again`, {
      cause,
    });
  }

  async #ask<R>(statement: string, values: Parameters<typeof ask>[2]) {
    return await this.#database.write((sql: Sql) => ask<R>(sql, statement, values));
  }
}

const DROP_CHUNKS = "DELETE FROM abeval.material_chunks WHERE digest = $1";

interface Upload {
  readonly digest: string;
  readonly upload: string;
  readonly size: number;
  readonly chunks: number;
}

/** Gives the chunks their name, when nobody else was faster. */
async function finish(sql: Sql, { digest, upload, size, chunks }: Upload): Promise<void> {
  const { count } = await ask(sql, FINISH, [digest, size, chunks]);
  // Chunks without a row belong to files that were lost.
  if (count > 0) await ask(sql, DROP_CHUNKS, [digest]);
  if (count > 0 && (await ask(sql, RENAME, [digest, upload])).count !== chunks) throw notThere(digest);
  await drop(sql, upload);
}

async function drop(sql: Sql, digest: string): Promise<void> {
  await ask(sql, DROP_CHUNKS, [digest]);
  await ask(sql, "DELETE FROM abeval.materials WHERE digest = $1", [digest]);
}

/** The same bytes in pieces of `CHUNK_BYTES`; the last is shorter. One at least. */
async function* cut(bytes: AsyncIterable<Uint8Array>): AsyncGenerator<Uint8Array> {
  let chunk = new Uint8Array(CHUNK_BYTES);
  let used = 0;
  let isFirst = true;
  for await (const piece of bytes) {
    for (let rest = piece; rest.length > 0; ) {
      const part = rest.subarray(0, CHUNK_BYTES - used);
      chunk.set(part, used);
      used += part.length;
      rest = rest.subarray(part.length);
      if (used < CHUNK_BYTES) continue;
      yield chunk;
      isFirst = false;
      chunk = new Uint8Array(CHUNK_BYTES);
      used = 0;
    }
  }
  if (used > 0 || isFirst) yield chunk.subarray(0, used);
}

const notThere = (digest: string) =>
  new Failure("storage_failed", `the files ${digest} are not stored, or were removed meanwhile; start again`, {
    retryable: true,
  });

const USE = "UPDATE abeval.materials SET used_at = now() WHERE digest = $1 AND chunks > 0 RETURNING chunks, bytes";

const BEGIN = `INSERT INTO abeval.materials (digest, bytes, chunks, used_at) VALUES ($1, 0, 0, now())
  ON CONFLICT DO NOTHING`;

const KEEP = "INSERT INTO abeval.material_chunks (digest, n, data) VALUES ($1, $2, $3) ON CONFLICT DO NOTHING";

const FINISH = `INSERT INTO abeval.materials (digest, bytes, chunks, used_at) VALUES ($1, $2::bigint, $3::int, now())
  ON CONFLICT DO NOTHING`;

const RENAME = "UPDATE abeval.material_chunks SET digest = $1 WHERE digest = $2";

const READ = "SELECT data FROM abeval.material_chunks WHERE digest = $1 AND n = $2::int";

/** Whether there is work, waiting or running, that was offered so long ago. */
const isWorkOlderThan = (interval: string) => `EXISTS (SELECT FROM abeval_queue.job AS one
  WHERE one.state <= 'active' AND one.created_on < now() - interval '${interval}')`;

const SWEEP = `WITH unused AS (
    DELETE FROM abeval.materials
    WHERE (used_at < now() - interval '${UNUSED}' AND NOT ${isWorkOlderThan(UNUSED)})
      OR (chunks = 0 AND used_at < now() - interval '${UNFINISHED}')
    RETURNING digest)
  DELETE FROM abeval.material_chunks USING unused WHERE material_chunks.digest = unused.digest`;
