import type { ChildProcess } from 'node:child_process';
import { readFileSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { fileURLToPath } from 'node:url';
import { endOwn, hasEnded, spawnOwn } from '../nodes/own-process.mjs';
import { dataFolder } from './folders.js';
import { needing, program } from './needs.js';
import { freePort } from './process.js';

const DEPLOY = fileURLToPath(new URL('../../deploy/prometheus/', import.meta.url));

export const describeWithPrometheus = needing(program('prometheus'), program('promtool')).describe;

/** A Prometheus with the configuration and the rules of deploy/, which scrapes one node every second. */
export class Prometheus {
  private output = '';

  private constructor(
    private readonly address: string,
    private readonly folder: string,
    private readonly child: ChildProcess,
  ) {
    for (const stream of [child.stdout!, child.stderr!]) stream.on('data', (chunk) => (this.output += String(chunk)));
  }

  static async start(target: string): Promise<Prometheus> {
    const folder = dataFolder();
    const config = readFileSync(join(DEPLOY, 'prometheus.yml'), 'utf8')
      .replaceAll('15s', '1s')
      .replace('[alerts.yml]', `[${join(DEPLOY, 'alerts.yml')}]`)
      .replace('localhost:3000', target);
    writeFileSync(join(folder, 'prometheus.yml'), config);
    const host = `127.0.0.1:${await freePort()}`;
    const args = [
      `--config.file=${join(folder, 'prometheus.yml')}`,
      `--storage.tsdb.path=${join(folder, 'data')}`,
      `--web.listen-address=${host}`,
    ];
    const child = spawnOwn('prometheus', args, { stdio: ['ignore', 'pipe', 'pipe'] });
    const prometheus = new Prometheus(`http://${host}`, folder, child);
    await prometheus.ready();
    return prometheus;
  }

  /** @throws the error of Prometheus about the query */
  async ask<T>(path: string, query: Record<string, string> = {}): Promise<T> {
    const response = await fetch(`${this.address}/api/v1/${path}?${new URLSearchParams(query)}`);
    const { data, error } = (await response.json()) as { data: T; error?: string };
    if (error) throw new Error(`${query.query}: ${error}`);
    return data;
  }

  async stop(): Promise<void> {
    await endOwn(this.child, 'SIGKILL');
    rmSync(this.folder, { recursive: true, force: true });
  }

  private async ready(): Promise<void> {
    const isReady = () => fetch(`${this.address}/-/ready`).then(({ ok }) => ok, () => false); // prettier-ignore
    while (!(await isReady())) {
      if (hasEnded(this.child)) throw new Error(`Prometheus ended: ${this.output}`);
      await sleep(50);
    }
  }
}

/** Returns the metric names in a query: all names except labels, functions and operators. */
export function metricsIn(query: string): string[] {
  const rest = query
    .replace(/"(?:[^"\\]|\\.)*"/g, '')
    .replace(/\{[^}]*\}|\[[^\]]*\]/g, '')
    .replace(/\b(?:by|without|on|ignoring|group_left|group_right)\s*\([^)]*\)/g, '');
  const names = [...rest.matchAll(/\b[a-zA-Z_:][\w:]*\b(?!\s*\()/g)].map(([name]) => name);
  return [...new Set(names)].filter((name) => !WORDS.has(name));
}

const WORDS = new Set(['and', 'or', 'unless', 'bool', 'offset', 'sum', 'max', 'min', 'avg', 'count']);
