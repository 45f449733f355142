// One of the five APIs, as used by one caller.
import autocannon from 'autocannon';

export class GraphqlApi {
  constructor(address, service, key) {
    this.url = `${address}/${service}/graphql`;
    this.headers = { 'content-type': 'application/json', 'x-api-key': key };
  }

  async ask(query, variables = {}) {
    const response = await fetch(this.url, { method: 'POST', headers: this.headers, body: JSON.stringify({ query, variables }) });
    const { data, errors } = await response.json();
    if (errors) throw new Error(`${this.url} refused: ${JSON.stringify(errors)}`);
    return data;
  }

  /** Repeats a request on several connections. Every answer must be a success. */
  async load(operation, { connections, seconds }) {
    const { url, headers } = this;
    const body = JSON.stringify(operation);
    const result = await autocannon({ url, method: 'POST', headers, body, connections, duration: seconds });
    if (result.non2xx > 0 || result.errors > 0) throw new Error(`${result.non2xx} refusals, ${result.errors} errors: ${body}`);
    return result;
  }
}
