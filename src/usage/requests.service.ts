import { Injectable } from '@nestjs/common';
import type { Caller } from '../common/auth/caller.js';
import { SERVICES, touchesService } from '../common/auth/scopes.js';
import { badInput } from '../common/base/app-error.js';
import { Database } from '../common/database/database.js';
import { RETAINED_HOURS } from '../common/tenants/request-counts.js';
import { countsByHour, countsByKey } from '../common/tenants/request-counts.queries.js';

const HOUR_MS = 3_600_000;
const DEFAULT_HOURS = 24;

/** Requests of a tenant with its keys. */
export interface Requests {
  /** Start of the first hour. */
  from: string;
  /** Hours with requests, oldest first. */
  hours: { at: string; requests: number; errors: number }[];
  /** Sums by service, key and code, the most first, up to 100. */
  keys: { service: string; key: { id: string; name: string | null; prefix: string }; code: string; requests: number }[];
}

/** Tells key holders what was requested with the keys of their tenant. */
@Injectable()
export class RequestsService {
  constructor(private readonly database: Database) {}

  /** Returns the requests to services of the key's scope in the last hours, including the current one. @throws BAD_USER_INPUT */
  async read({ tenantId, scope }: Caller, hours: string | undefined): Promise<Requests> {
    const count = hours === undefined ? DEFAULT_HOURS : /^\d{1,3}$/.test(hours) ? Number(hours) : NaN;
    if (!(count >= 1 && count <= RETAINED_HOURS)) throw badInput('hours', `must be a whole number from 1 to ${RETAINED_HOURS}`);
    const now = Date.now();
    const from = new Date(now - (now % HOUR_MS) - (count - 1) * HOUR_MS);
    const services = SERVICES.filter((service) => touchesService(scope, service));
    const wanted = { tenantId, services, from };
    const [byHour, byKey] = await Promise.all([countsByHour(this.database, wanted), countsByKey(this.database, wanted)]);
    const keys = await this.database.of(tenantId).apiKey.findMany({
      where: { id: { in: [...new Set(byKey.map(({ keyId }) => keyId))] } },
      select: { id: true, name: true, prefix: true },
    });
    const named = new Map(keys.map((key) => [key.id, key]));
    return {
      from: from.toISOString(),
      hours: byHour.map(({ at, ...sums }) => ({ at: new Date(at).toISOString(), ...sums })),
      keys: byKey.flatMap(({ keyId, ...sums }) => {
        const key = named.get(keyId);
        return key ? [{ ...sums, key }] : [];
      }),
    };
  }
}
