import type { Service } from '../auth/scopes.js';

interface Example {
  /** The name of the service, as people say it. */
  title: string;
  /** What a console opens with: operations that work as they are, with an empty tenant too. */
  query: string;
}

export const CONSOLE_EXAMPLES: Record<Service, Example> = {
  'file-management': {
    title: 'File Management',
    query: `# Makes a file. Send its bytes within 30 seconds:
#   curl -T hello.txt "UPLOAD_URL"
mutation CreateFile {
  createFile(input: { name: "hello.txt" }) {
    id
    uploadUrl
  }
}

# The newest files, and where to fetch them.
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

# The saved templates.
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
    query: `# Gives the address that a page of ann connects to.
mutation Register {
  registerRecipient(input: { recipient: "ann" }) {
    connectionUri
  }
}

# Waits for ann if she is not connected.
mutation Push {
  pushMessage(input: { recipients: ["ann"], message: "Your order has shipped", expiresAt: "2099-01-01" }) {
    results {
      recipient
      item { id status }
      error { message }
    }
  }
}

# What was pushed, and what became of it.
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
    query: `# Notes that Ann changed the status of a document. Sent again, it stores nothing.
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

# Who changed what, newest first.
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

# Whether all records are as they were written.
query Verify {
  verifyLogs {
    valid
    checkedRecords
    reason
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

# The newest mails, and what became of them.
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
