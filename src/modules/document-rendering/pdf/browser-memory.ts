/** Running browser, with the memory of its processes. */
interface Browser {
  tenantId: string;
  memoryBytes: number;
}

/**
 * Returns the browser to stop when all together exceed `limitBytes`: the largest of the tenant that uses the most memory. A tenant
 * within its share never loses one to another.
 */
export function browserToStop<B extends Browser>(browsers: readonly B[], limitBytes: number): B | undefined {
  const byTenant = new Map<string, number>();
  for (const { tenantId, memoryBytes } of browsers) byTenant.set(tenantId, (byTenant.get(tenantId) ?? 0) + memoryBytes);
  const total = [...byTenant.values()].reduce((sum, one) => sum + one, 0);
  if (total <= limitBytes) return undefined;
  const most = (one: B): number => byTenant.get(one.tenantId)!;
  return browsers.reduce((a, b) => (most(a) - most(b) || a.memoryBytes - b.memoryBytes) >= 0 ? a : b); // prettier-ignore
}
