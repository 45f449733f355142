import type { Service } from '../../src/common/auth/scopes.js';
import type { Api } from './api.js';
import type { TestServer } from './server.js';
import { until } from './websockets.js';

const SET = 'mutation($id:ID!,$parentId:ID){setTenantParent(id:$id,parentId:$parentId){id parentId}}';

/** Tenant with an API of each service. */
export interface Member {
  id: string;
  key: string;
  as: (service: Service) => Promise<Api>;
}

/** Tenants with a parent. */
export class Family {
  private constructor(
    readonly server: TestServer,
    readonly admin: Api,
  ) {}

  static async of(server: TestServer): Promise<Family> {
    return new Family(server, await server.api('admin'));
  }

  async tenant(): Promise<Member> {
    return this.member(await this.server.createKey());
  }

  /** Returns the tenant of a key. */
  async member(key: string): Promise<Member> {
    const id = await this.server.tenantIdOf(await this.server.api('document-rendering', key));
    return { id, key, as: (service) => this.server.api(service, key) };
  }

  /** Returns a new child. Resolves when the server reads its parent. */
  async childOf(parent: Member): Promise<Member> {
    const child = await this.tenant();
    await this.setParent(child, parent);
    return child;
  }

  /** Sets a parent. Resolves when the server reads it. */
  async setParent(child: Member, parent: Member | null): Promise<void> {
    await this.admin.ask(SET, { id: child.id, parentId: parent?.id ?? null });
    if (parent) await this.marks(parent, child);
  }

  /** Waits until a child reads a mark of its parent. */
  private async marks(parent: Member, child: Member): Promise<void> {
    const name = `mark of ${parent.id}`;
    const [ofParent, ofChild] = [await parent.as('document-rendering'), await child.as('document-rendering')];
    const filter = { name };
    const list = 'query($filter:CssFilter){css(filter:$filter){items{id}}}';
    if ((await ofParent.ask(list, { filter })).css.items.length === 0) {
      await ofParent.ask('mutation($name:String!){createCss(input:{name:$name}){id}}', { name });
    }
    await until(async () => (await ofChild.ask(list, { filter })).css.items.length === 1);
  }
}
