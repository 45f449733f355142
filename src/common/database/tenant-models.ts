import type { Prisma, PrismaClient } from '../../generated/sqlite/client.js';

type Models = Prisma.TypeMap['model'];
type ModelName = Prisma.TypeMap['meta']['modelProps'];
type WithTenantId = {
  [name in keyof Models]: 'tenantId' extends keyof Models[name]['payload']['scalars'] ? Uncapitalize<name> : never;
}[keyof Models];
/** Models without a tenantId. Each row belongs to an email, which has one. */
type PartOfEmail = 'emailAttachment' | 'emailContent';

/** Models with rows of tenants, including the tenant itself. */
export type TenantModels = Pick<PrismaClient, WithTenantId | PartOfEmail | 'tenant'>;

/** Models with rows of tenants, for reading only. */
export type ReadModels = { [name in keyof TenantModels]: Pick<TenantModels[name], (typeof READING)[number]> };

export const READ_ONLY = 'the rows of a parent are read only';

/** Models with rows of no tenant. */
export type SharedModels = Pick<PrismaClient, Exclude<ModelName, keyof TenantModels>>;

/** Relation to a row that has a tenantId. */
const PARENT = 'email';
type Owner = 'tenantId' | 'id' | typeof PARENT;

/** Column or relation that names the tenant of a row. Does not compile if a model is missing. */
const OWNED_BY: Record<keyof TenantModels, Owner> = {
  accessCutoff: 'tenantId',
  apiKey: 'tenantId',
  css: 'tenantId',
  email: 'tenantId',
  emailAttachment: 'email',
  emailContent: 'email',
  emailDomain: 'tenantId',
  emailIdentity: 'tenantId',
  emailRecipient: 'tenantId',
  emailSuppression: 'tenantId',
  emailTag: 'tenantId',
  emailValidationTotal: 'tenantId',
  event: 'tenantId',
  fallbackMail: 'tenantId',
  file: 'tenantId',
  folderDeletion: 'tenantId',
  fileUsage: 'tenantId',
  globalMessage: 'tenantId',
  log: 'tenantId',
  logBlock: 'tenantId',
  logEdit: 'tenantId',
  logStream: 'tenantId',
  message: 'tenantId',
  messageFallback: 'tenantId',
  multipartPart: 'tenantId',
  multipartUpload: 'tenantId',
  operationKey: 'tenantId',
  partialUse: 'tenantId',
  partsRevision: 'tenantId',
  personErasure: 'tenantId',
  recipientCutoff: 'tenantId',
  recipientTopics: 'tenantId',
  requestCount: 'tenantId',
  storageSample: 'tenantId',
  template: 'tenantId',
  templatePartial: 'tenantId',
  templateTranslation: 'tenantId',
  templateVersion: 'tenantId',
  tenant: 'id',
  webhook: 'tenantId',
};

/** Models without a tenant. Each must be listed, so that a model with a forgotten tenantId does not compile. */
const SHARED: Record<keyof SharedModels, true> = {
  blobPin: true,
  emailValidationCount: true,
  lease: true,
  session: true,
};

/** Methods that read. */
const READING = [
  'findUnique',
  'findUniqueOrThrow',
  'findFirst',
  'findFirstOrThrow',
  'findMany',
  'count',
  'aggregate',
  'groupBy',
] as const;
const NARROWED = [...READING, 'update', 'updateMany', 'updateManyAndReturn', 'delete', 'deleteMany'];
const CREATING = ['create', 'createMany', 'createManyAndReturn'];

interface Arguments {
  where?: Record<string, unknown>;
  data?: object;
  create?: object;
}
type Call = (args: Arguments) => unknown;

/** Model restricted to the rows of one tenant. */
class TenantModel {
  constructor(
    private readonly model: Record<string, Call>,
    private readonly tenantId: string,
    private readonly owner: Owner,
    private readonly isReadOnly: boolean,
  ) {}

  narrowed(name: string, args: Arguments = {}): unknown {
    if (!(READING as readonly string[]).includes(name)) this.requireWritable();
    if (args.data) this.requireOwn(args.data, { isWhole: false });
    return this.model[name]!({ ...args, where: this.whereOwn(args.where) });
  }

  creating(name: string, args: Arguments): unknown {
    this.requireWritable();
    for (const row of [args.data!].flat()) this.requireOwn(row, { isWhole: true });
    return this.model[name]!(args);
  }

  /**
   * Upserts by a unique key that includes the tenant: with an additional condition, the client would read and write in two statements.
   */
  upsert(args: Arguments): unknown {
    this.requireWritable();
    for (const key of Object.values(args.where!)) this.requireOwn(key as object, { isWhole: true });
    this.requireOwn(args.create!, { isWhole: true });
    return this.model['upsert']!(args);
  }

  private requireWritable(): void {
    if (this.isReadOnly) throw new Error(READ_ONLY);
  }

  private whereOwn(where: Record<string, unknown> = {}): Record<string, unknown> {
    const { owner, tenantId } = this;
    if (owner === PARENT) return { ...where, [owner]: { ...(where[owner] as object), tenantId } };
    this.requireOwn(where, { isWhole: false });
    return { ...where, [owner]: tenantId };
  }

  private requireOwn(row: object, { isWhole }: { isWhole: boolean }): void {
    if (this.owner === PARENT) return;
    const named = (row as Record<string, unknown>)[this.owner];
    if (named === this.tenantId || (named === undefined && !isWhole)) return;
    throw new Error('a call for one tenant names another tenant, or none');
  }
}

for (const name of NARROWED) define(name, 'narrowed');
for (const name of CREATING) define(name, 'creating');

function define(name: string, by: 'narrowed' | 'creating'): void {
  const value = function (this: TenantModel, args: Arguments) {
    return this[by](name, args);
  };
  Object.defineProperty(TenantModel.prototype, name, { value });
}

/** Adds getters for the models of one tenant, and for shared models, to a class whose objects have a client and a tenantId. */
export function addModels(prototype: { client: SharedModels & TenantModels; tenantId: string; isReadOnly: boolean }): void {
  for (const name of Object.keys(SHARED) as (keyof SharedModels)[]) {
    Object.defineProperty(prototype, name, {
      get(this: typeof prototype) {
        return this.client[name];
      },
    });
  }
  for (const [name, owner] of Object.entries(OWNED_BY) as [keyof TenantModels, Owner][]) {
    Object.defineProperty(prototype, name, {
      get(this: typeof prototype) {
        return new TenantModel(this.client[name] as unknown as Record<string, Call>, this.tenantId, owner, this.isReadOnly);
      },
    });
  }
}
