import type { Service } from '../../auth/scopes.js';

interface Example {
  /** Name of the service, as people say it. */
  title: string;
  /** Operations that a console opens with. They work unchanged, even for an empty tenant. */
  query: string;
}

export const CONSOLE_EXAMPLES: Record<Service, Example> = {
  'file-management': {
    title: 'File Management',
    query: `# Creates a file. Send its bytes within 30 seconds:
#   curl -T hello.txt "UPLOAD_URL"
mutation CreateFile {
  createFile(input: { name: "hello.txt" }) {
    id
    uploadUrl
  }
}

# Lists the newest files and their download addresses.
query Files {
  files(limit: 10) {
    items { id name status contentLength downloadUrl }
    nextToken
  }
}
`,
  },
  'document-rendering': {
    title: 'Document Rendering',
    query: `# Renders a template without saving it.
query Preview {
  preview(
    input: {
      template: {
        type: email
        contentType: html
        subject: "Invoice {{ number }}"
        body: "<p>Dear {{ name }}, please pay {{ total | number('#,##0.00') }} EUR.</p>"
      }
      params: "{\\"number\\": \\"2026-17\\", \\"name\\": \\"Ann\\", \\"total\\": 1291.5}"
    }
  ) {
    subject
    body
    text
    missingParams
  }
}

# Lists the saved templates.
query Templates {
  templates(limit: 10) {
    items { id name type contentType }
    nextToken
  }
}
`,
  },
  'websockets-manager': {
    title: 'WebSockets',
    query: `# Returns the address that a page of ann connects to.
mutation Register {
  registerRecipient(input: { recipient: "ann" }) {
    connectionUri
  }
}

# Pushes a message, which waits for ann if she is not connected.
mutation Push {
  pushMessage(input: { recipients: ["ann"], message: "Your order has shipped", expiresAt: "2099-01-01" }) {
    results {
      recipient
      item { id status }
      error { message }
    }
  }
}

# Lists the pushed messages and their status.
query Messages {
  messages(limit: 10) {
    items { recipient message status deliveredAt }
    nextToken
  }
}
`,
  },
  'document-log': {
    title: 'Document Log',
    query: `# Records that Ann changed the status of a document. Sent again, it stores nothing.
mutation Log {
  createLog(
    input: {
      documentId: "INV-17"
      documentType: "invoice"
      dateTime: "2026-11-21T10:00:00Z"
      action: "update"
      author: { id: "u-1", name: "Ann" }
      attribute: { id: "status", name: { en: "Status" } }
      attributeOldValue: { raw: "open" }
      attributeNewValue: { raw: "paid" }
      idempotencyKey: "console-example"
    }
  ) {
    itemId
  }
}

# Lists the changes and their authors, newest first.
query Logs {
  logs(limit: 10) {
    items {
      dateTime
      author { name }
      documentId
      attribute { id }
      attributeOldValue { raw }
      attributeNewValue { raw }
    }
    nextToken
  }
}

# Verifies that all records are as they were written.
query Verify {
  verifyLogs {
    valid
    checkedRecords
    reason
  }
}
`,
  },
  admin: {
    title: 'Administration',
    query: `# Lists the tenants, their limits and what they use.
query Tenants {
  tenants(limit: 10) {
    items {
      id
      name
      state
      limits { name limit used isOwn }
    }
    nextToken
  }
}

# Finds a tenant by its name.
query Named {
  tenants(name: "default") {
    items { id state createdAt }
  }
}
`,
  },
  email: {
    title: 'Email',
    query: `# Sends a mail; sent again, it sends nothing. Without SMTP_URL it becomes a file in DATA_DIR/mail.
mutation Send {
  sendMessage(
    input: {
      to: { address: "ann@example.com", name: "Ann" }
      subject: "Hello"
      textBody: "Hello, Ann"
      idempotencyKey: "console-example"
    }
  ) {
    id
  }
}

# Lists the newest mails and their status.
query Messages {
  messages(limit: 10) {
    items {
      id
      status
      subject
      to { address }
      lastError
      sentAt
    }
    nextToken
  }
}
`,
  },
};
