-- CreateTable
CREATE TABLE "EmailContent" (
    "emailId" TEXT NOT NULL,
    "html" TEXT,
    "text" TEXT,
    "attachments" TEXT,

    CONSTRAINT "EmailContent_pkey" PRIMARY KEY ("emailId")
);

-- AddForeignKey
ALTER TABLE "EmailContent" ADD CONSTRAINT "EmailContent_emailId_fkey" FOREIGN KEY ("emailId") REFERENCES "Email"("id") ON DELETE CASCADE ON UPDATE CASCADE;
