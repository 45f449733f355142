module github.com/platform-services/platform-services/clients/go

go 1.19
