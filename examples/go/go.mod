module example

go 1.19

require github.com/platform-services/platform-services/clients/go v0.3.0

replace github.com/platform-services/platform-services/clients/go => ../../clients/go
