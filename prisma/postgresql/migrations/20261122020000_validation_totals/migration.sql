-- CreateTable
CREATE TABLE "EmailValidationTotal" (
    "tenantId" TEXT COLLATE "C" NOT NULL,
    "day" TEXT COLLATE "C" NOT NULL,
    "mails" INTEGER NOT NULL,

    CONSTRAINT "EmailValidationTotal_pkey" PRIMARY KEY ("tenantId")
);

-- CreateIndex
CREATE INDEX "EmailValidationTotal_day_idx" ON "EmailValidationTotal"("day");
