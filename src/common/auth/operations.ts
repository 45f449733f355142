import { readFileSync } from 'node:fs';
import { Kind, parse } from 'graphql';
import { projectFile } from '../base/project-file.js';
import { ENDPOINTS, type Operations, type Service } from './scopes.js';

/** Reads the operations of each service from the printed schemas, which a test keeps equal to the served ones. */
export function knownOperations(): Record<Service, Operations> {
  const entries = ENDPOINTS.map((service) => [service, operationsOf(service)] as const);
  return Object.fromEntries(entries) as Record<Service, Operations>;
}

function operationsOf(service: Service): Operations {
  const { definitions } = parse(readFileSync(projectFile(`schema/${service}.graphql`), 'utf8'), { noLocation: true });
  const fieldsOf = (name: string) => {
    const type = definitions.find((node) => node.kind === Kind.OBJECT_TYPE_DEFINITION && node.name.value === name);
    const fields = type?.kind === Kind.OBJECT_TYPE_DEFINITION ? (type.fields ?? []) : [];
    return new Set(fields.map((field) => field.name.value));
  };
  return { query: fieldsOf('Query'), mutation: fieldsOf('Mutation') };
}
