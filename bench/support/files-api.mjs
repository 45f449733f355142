// The public API of file-management, as used by one caller.

/** Fields that applications select: 15, including both URLs. */
const FIELDS = `id name comment author { id name email } contentType contentLength status createdAt updatedAt
  externalReference uploaded public downloadUrl uploadUrl attributes { name value }`;

export const READ_FILE = `query ($id: ID!) { file(ID: $id) { ${FIELDS} } }`;
export const READ_PAGE = `query ($limit: Int) { files(limit: $limit) { items { ${FIELDS} } } }`;

/** Same queries in the schema that PostGraphile derives from our tables: 15 columns of a row, and a page of the newest. */
const COLUMNS = `rowId name comment author contentType contentLength status createdAt updatedAt externalReference public attributes
  expiresAt etag checksumSha256`;
export const READ_BY_POSTGRAPHILE = {
  file: { query: `query ($id: String!) { fileByRowId(rowId: $id) { ${COLUMNS} } }` },
  page: { query: `query ($limit: Int) { allFiles(first: $limit, orderBy: [ROW_ID_DESC]) { nodes { ${COLUMNS} } } }` },
};

const CREATE_FILE = 'mutation ($input: CreateFileInput) { createFile(input: $input) { id uploadUrl } }';
const DELETE_FILE = 'mutation ($id: String) { deleteFile(id: $id) { id } }';

export class FilesApi {
  constructor(address, key) {
    this.url = `${address}/file-management/graphql`;
    this.headers = { 'content-type': 'application/json', 'x-api-key': key };
  }

  async ask(query, variables = {}) {
    const response = await fetch(this.url, { method: 'POST', headers: this.headers, body: JSON.stringify({ query, variables }) });
    const { data, errors } = await response.json();
    if (errors) throw new Error(`${this.url} refused: ${JSON.stringify(errors)}`);
    return data;
  }

  async read(id) {
    return (await this.ask(READ_FILE, { id })).file;
  }

  async create(input) {
    return (await this.ask(CREATE_FILE, { input })).createFile;
  }

  async delete(id) {
    await this.ask(DELETE_FILE, { id });
  }
}
