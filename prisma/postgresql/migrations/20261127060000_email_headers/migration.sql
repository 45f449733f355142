ALTER TABLE "Email" ADD COLUMN "headers" TEXT;
ALTER TABLE "Email" ADD COLUMN "tags" TEXT;
ALTER TABLE "EmailContent" ADD COLUMN "headers" TEXT;

CREATE TABLE "EmailTag" (
    "emailId" TEXT COLLATE "C" NOT NULL,
    "position" INTEGER NOT NULL,
    "tenantId" TEXT COLLATE "C" NOT NULL,
    "name" TEXT COLLATE "C" NOT NULL,
    "value" TEXT COLLATE "C" NOT NULL,

    CONSTRAINT "EmailTag_pkey" PRIMARY KEY ("emailId", "position"),
    CONSTRAINT "EmailTag_emailId_fkey" FOREIGN KEY ("emailId") REFERENCES "Email" ("id") ON DELETE CASCADE ON UPDATE CASCADE
);

CREATE INDEX "EmailTag_tenantId_name_value_emailId_idx" ON "EmailTag"("tenantId", "name", "value", "emailId");
