import { Applications } from '../soak/applications.mjs';

const RECIPIENTS = 4;

/**
 * The applications of the soak on one platform: files with uploads and replacements, renderings, pushes to connected recipients, records
 * of documents, stylesheets with a webhook, and mails with bounces, all at once. Each remembers what was answered.
 *
 *     const load = await MixedLoad.create();            // a mail server and a receiver of events of its own
 *     const server = deployment.start(load.settings);
 *     await load.start(await server.ready(), key);      // steps continue from here, also while the server is down
 *     await load.progress(5);                           // each application had 5 further steps answered
 *     load.lead(await another.ready());                 // a server that was started on the same database and store
 *     await load.expectAllStored();                     // ends the steps, and compares all that was answered with all that is stored
 *     await load.remove();                              // in afterAll or finally
 */
export class MixedLoad {
  private constructor(private readonly applications: Applications) {}

  static async create(): Promise<MixedLoad> {
    return new MixedLoad(await Applications.create());
  }

  /** Settings of the platform under load. */
  get settings(): Record<string, string> {
    return this.applications.settings;
  }

  /** Number of failed requests. */
  get failures(): { at: number; reason: string }[] {
    return this.applications.caller!.failures;
  }

  /** Starts the load. The key has all scopes. */
  start(address: string, key: string): Promise<void> {
    return this.applications.start(address, key, RECIPIENTS);
  }

  /** Resolves once each application had this many further steps answered. */
  progress(count: number): Promise<void> {
    return this.applications.progress(count);
  }

  /** Sends further requests to another server of the same database and store. */
  lead(address: string): void {
    this.applications.lead(address);
  }

  /**
   * Ends the load, and compares everything answered with everything stored. What has an idempotency key is repeated until it is answered,
   * so it must be stored exactly once; anything else at least once.
   */
  async expectAllStored(): Promise<void> {
    await this.applications.stop();
    this.applications.caller!.isPatient = true; // on a busy machine a read may find the database silent
    const outcomes: { name: string; checked: number; found: string[] }[] = await this.applications.outcomes();
    expect(outcomes.filter(({ found }) => found.length > 0)).toEqual([]);
    expect(outcomes.filter(({ checked }) => checked === 0)).toEqual([]);
  }

  remove(): Promise<void> {
    return this.applications.remove();
  }
}
