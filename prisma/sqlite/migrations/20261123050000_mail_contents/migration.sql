-- CreateTable
CREATE TABLE "EmailContent" (
    "emailId" TEXT NOT NULL PRIMARY KEY,
    "html" TEXT,
    "text" TEXT,
    "attachments" TEXT,
    CONSTRAINT "EmailContent_emailId_fkey" FOREIGN KEY ("emailId") REFERENCES "Email" ("id") ON DELETE CASCADE ON UPDATE CASCADE
);
