import { InvalidArgumentError } from 'commander';
import { ENDPOINTS, SERVICES, type Service, wholeServices } from '../../common/auth/scopes.js';
import { badInput } from '../../common/base/app-error.js';

/** The options of `keys create` that tell the scope of the key. */
export interface ScopeOptions {
  scope?: string;
  service: Service[];
  allServices?: boolean;
  readOnly?: boolean;
}

/** Joins the entries of --scope and those of the services. @throws BAD_USER_INPUT where options contradict each other */
export function scopeOf({ scope, service, allServices, readOnly }: ScopeOptions): string {
  if (allServices && service.length > 0) throw badInput('service', 'is one of all services already: leave out --all-services');
  const services = allServices ? SERVICES : service;
  if (scope === undefined && services.length === 0) {
    throw badInput('scope', 'must be given, or --all-services, or --service for each service');
  }
  const mutation = scope?.split(/\s+/).find((entry) => /:mutation:/.test(entry));
  if (readOnly && mutation) throw badInput('scope', `has ${mutation}, which --read-only excludes: leave out one of them`);
  const entries = wholeServices(services, readOnly ? ['query'] : undefined);
  return [...(scope === undefined ? [] : [scope]), ...entries].join(' ');
}

/** Adds a value of --service to the earlier ones. */
export function serviceOption(text: string, earlier: Service[]): Service[] {
  const service = ENDPOINTS.find((name) => name === text);
  if (service) return [...earlier, service];
  throw new InvalidArgumentError(`must be one of ${ENDPOINTS.join(', ')}`);
}
