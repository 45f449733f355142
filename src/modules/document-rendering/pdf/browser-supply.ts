import { Injectable, type OnApplicationShutdown } from '@nestjs/common';
import { Config } from '../../../common/config/config.js';
import { Logger } from '../../../common/logging/logger.js';
import { Chromium } from './chromium.js';
import { PdfMetrics } from './pdf-metrics.js';

/** Maximum idle time of a browser started ahead. */
const IDLE_MS = 60_000;

/** Browser started ahead; undefined if it failed to start. */
interface Ahead {
  browser: Promise<Chromium | undefined>;
  isWanted: boolean;
}

/**
 * Starts a browser ahead for the next PDF, since the start takes most of a PDF's time. Each is used once. None runs before the first
 * PDF, and a minute after the last.
 */
@Injectable()
export class BrowserSupply implements OnApplicationShutdown {
  private next?: Ahead;
  private idle?: NodeJS.Timeout;
  private isStopping = false;

  constructor(
    private readonly config: Config,
    private readonly metrics: PdfMetrics,
    private readonly logger: Logger,
  ) {}

  /** Returns the browser started ahead, if it is alive. */
  async takePrepared(): Promise<Chromium | undefined> {
    const prepared = await this.withdraw();
    if (prepared?.isAlive) {
      this.metrics.browsers.inc({ start: 'ahead' });
      return prepared;
    }
    await prepared?.end();
    return undefined;
  }

  /** Starts a browser. @throws if the program does not start */
  startNow(): Promise<Chromium> {
    this.metrics.browsers.inc({ start: 'on demand' });
    return Chromium.start(this.config.chromiumPath!);
  }

  /** Starts a browser for the next PDF, unless one is ready. `isAwaited` returns true if a PDF is already queued. */
  prepare(isAwaited: () => boolean): void {
    if (this.isStopping || this.next) return;
    const next: Ahead = { browser: this.start(() => next.isWanted || isAwaited()), isWanted: false };
    void next.browser.then((browser) => this.next === next && this.metrics.prepared.set(browser ? 1 : 0));
    this.next = next;
    this.idle = setTimeout(() => void this.drop(), IDLE_MS).unref();
  }

  /** Runs after the last request was answered. */
  async onApplicationShutdown(): Promise<void> {
    this.isStopping = true;
    await this.drop();
  }

  private async drop(): Promise<void> {
    await (await this.withdraw())?.end();
  }

  /** Starts a browser and warms it up, unless a PDF is queued: the warm-up takes a tenth of a PDF's processor time. */
  private async start(isWanted: () => boolean): Promise<Chromium | undefined> {
    let browser: Chromium | undefined;
    try {
      browser = await Chromium.start(this.config.chromiumPath!);
      if (!isWanted()) await browser.warmUp();
      return browser;
    } catch (error) {
      this.logger.warn({ err: error }, 'the browser for the next PDF failed to start');
      await browser?.end();
      return undefined;
    }
  }

  private withdraw(): Promise<Chromium | undefined> {
    const { next } = this;
    clearTimeout(this.idle);
    this.next = undefined;
    this.metrics.prepared.set(0);
    if (!next) return Promise.resolve(undefined);
    next.isWanted = true;
    return next.browser;
  }
}
