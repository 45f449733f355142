-- CreateTable
CREATE TABLE "EmailValidationTotal" (
    "tenantId" TEXT NOT NULL PRIMARY KEY,
    "day" TEXT NOT NULL,
    "mails" INTEGER NOT NULL
);

-- CreateIndex
CREATE INDEX "EmailValidationTotal_day_idx" ON "EmailValidationTotal"("day");
