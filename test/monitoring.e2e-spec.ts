// @nightly: waits for Prometheus
import { readFileSync } from 'node:fs';
import { setTimeout as sleep } from 'node:timers/promises';
import { visit } from './nodes/journey.mjs';
import { describeWithPrometheus, metricsIn, Prometheus } from './support/prometheus.js';
import { TestServer } from './support/server.js';
import { MailServer } from './support/smtp.js';

const LIMIT_MS = 60_000;
/** These judge how fast the machine is, which may be busy with other tests. */
const OF_SPEED = ['EventLoopSlow', 'OperationsSlow', 'DatabaseSlow'];

interface Rule {
  name: string;
  query: string;
  health: string;
  lastError?: string;
  annotations: Record<string, string>;
}

interface Panel {
  title: string;
  targets?: { expr: string }[];
}

const dashboard = JSON.parse(readFileSync(new URL('../deploy/grafana/platform-services.json', import.meta.url), 'utf8')) as {
  panels: Panel[];
};
const panels = dashboard.panels.filter(({ targets }) => targets);
const queries = panels.flatMap(({ targets }) => targets!.map(({ expr }) => expr));

describeWithPrometheus('a Prometheus with the rules of deploy/prometheus', () => {
  let mail: MailServer;
  let server: TestServer;
  let prometheus: Prometheus;
  let rules: Rule[];
  beforeAll(async () => {
    mail = await MailServer.start();
    server = await TestServer.start({ SMTP_URL: mail.url, EMAIL_FROM: 'monitoring@sender.example' });
    await visit(server.address, await server.createKey(), () => mail.mails.map(({ raw }) => raw));
    prometheus = await Prometheus.start(new URL(server.address).host);
    ({
      groups: [{ rules }],
    } = await prometheus.ask<{ groups: [{ rules: Rule[] }] }>('rules'));
  });
  afterAll(async () => {
    await prometheus?.stop();
    await server?.stop();
    await mail?.stop();
  });

  const missing = async (names: string[]) => {
    const scraped = new Set(await prometheus.ask<string[]>('label/__name__/values'));
    return names.filter((name) => !scraped.has(name));
  };

  it('finds every metric that a rule or a panel names, after a journey over all services', async () => {
    const names = [...new Set([...rules.map(({ query }) => query), ...queries].flatMap(metricsIn))];
    expect(names.length).toBeGreaterThan(40);
    // Some are counted after the answer that they are about.
    const end = Date.now() + LIMIT_MS;
    while ((await missing(names)).length > 0 && Date.now() < end) await sleep(100);
    expect(await missing(names)).toEqual([]);
    expect(await missing(metricsIn('sum by (job) (rate(no_such_total{job="up"}[5m])) / up'))).toEqual(['no_such_total']);
  });

  it('evaluates every rule and every panel', async () => {
    for (const expr of queries) await prometheus.ask('query', { query: expr });
    await expect(prometheus.ask('query', { query: 'sum(' })).rejects.toThrow('parse error');
    const evaluated = async () => (await prometheus.ask<{ groups: [{ rules: Rule[] }] }>('rules')).groups[0].rules;
    while ((await evaluated()).some(({ health }) => health === 'unknown')) await sleep(100);
    expect((await evaluated()).filter(({ health }) => health !== 'ok')).toEqual([]);
    for (const { annotations } of rules) expect(Object.keys(annotations).sort()).toEqual(['description', 'runbook', 'summary']);
  });

  it('raises no alert on a healthy node', async () => {
    const raised = async () => {
      const { alerts } = await prometheus.ask<{ alerts: { labels: { alertname: string } }[] }>('alerts');
      return alerts.map(({ labels }) => labels.alertname).filter((name) => !OF_SPEED.includes(name));
    };
    // A check may fail for a moment where the machine is busy.
    const end = Date.now() + LIMIT_MS;
    while ((await raised()).length > 0 && Date.now() < end) await sleep(100);
    expect(await raised()).toEqual([]);
  });
});
