module platform-services/client

go 1.19
