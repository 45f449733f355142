// go run . uses all five services, with the server and the key that PLATFORM_URL and PLATFORM_KEY name.
package main

import (
	"errors"
	"fmt"
	"log"
	"os"
	"time"
)

func main() {
	log.SetFlags(0)
	services := Services{os.Getenv("PLATFORM_URL"), os.Getenv("PLATFORM_KEY")}
	file := store(services)
	mail(services, file, render(services))
	receive(services)
	record(services, file)
	refuse(services)
}

func store(services Services) string {
	var created struct {
		CreateFile struct{ ID, UploadURL string }
	}
	must(services.Request("file-management",
		`mutation($input: CreateFileInput!) { createFile(input: $input) { id uploadUrl } }`,
		Variables{"input": Variables{"name": "report.csv"}}, &created))
	must(Put(created.CreateFile.UploadURL, []byte("number,total\n2026-17,1291.50\n")))
	var found struct{ File struct{ DownloadURL string } }
	must(services.Request("file-management", `query($id: ID!) { file(ID: $id) { downloadUrl } }`,
		Variables{"id": created.CreateFile.ID}, &found))
	content, err := Get(found.File.DownloadURL)
	must(err)
	fmt.Println("downloaded", len(content), "bytes")
	return created.CreateFile.ID
}

func render(services Services) string {
	template := Variables{"type": "document", "contentType": "html", "body": "<p>Hi {{ name }}</p>"}
	var rendered struct{ Preview struct{ Body string } }
	must(services.Request("document-rendering", `query($input: PreviewInput!) { preview(input: $input) { body } }`,
		Variables{"input": Variables{"template": template, "params": `{"name": "Ann <Smith>"}`}}, &rendered))
	fmt.Println("rendered", rendered.Preview.Body)
	return rendered.Preview.Body
}

func mail(services Services, file, html string) {
	input := Variables{
		"to":          []Variables{{"address": "ann@example.com", "name": "Ann"}},
		"subject":     "Your report",
		"htmlBody":    html,
		"attachments": []Variables{{"fileId": file, "name": "report.csv"}},
	}
	var sent any
	must(services.Request("email", `mutation($input: SendMessageInput!) { sendMessage(input: $input) { id } }`,
		Variables{"input": input}, &sent))
	fmt.Println("mailed to ann@example.com")
}

func receive(services Services) {
	var registered struct {
		RegisterRecipient struct{ ConnectionURI string }
	}
	must(services.Request("websockets-manager",
		`mutation($input: RegisterRecipientInput!) { registerRecipient(input: $input) { connectionUri } }`,
		Variables{"input": Variables{"recipient": "ann"}}, &registered))
	connection, err := Connect(registered.RegisterRecipient.ConnectionURI)
	must(err)
	defer connection.Close()
	var pushed any
	must(services.Request("websockets-manager",
		`mutation($input: MessageInput!) { pushMessage(input: $input) { item { id } } }`,
		Variables{"input": Variables{"recipients": []string{"ann"}, "message": "Your report is ready"}}, &pushed))
	message, err := connection.Next()
	must(err)
	fmt.Println("received", message.Message)
}

func record(services Services, file string) {
	input := Variables{
		"documentType":      "report",
		"documentId":        file,
		"dateTime":          time.Now().UTC().Format(time.RFC3339Nano),
		"author":            Variables{"name": "Ann"},
		"attribute":         Variables{"id": "status"},
		"attributeNewValue": Variables{"raw": "sent"},
	}
	var created any
	must(services.Request("document-log", `mutation($input: CreateLogInput!) { createLog(input: $input) { itemId } }`,
		Variables{"input": input}, &created))
	var found struct {
		DocumentState []struct {
			AttributeID string
			Value       struct{ Raw string }
		}
	}
	must(services.Request("document-log",
		`query($id: ID!) { documentState(documentType: "report", documentId: $id) { attributeId value { raw } } }`,
		Variables{"id": file}, &found))
	fmt.Println("logged", found.DocumentState[0].AttributeID, found.DocumentState[0].Value.Raw)
}

func refuse(services Services) {
	var rendered any
	err := services.Request("document-rendering", `{ render(input: { templateName: "none", params: "{}" }) { body } }`, nil, &rendered)
	var refusal ServiceError
	if !errors.As(err, &refusal) {
		log.Fatal("a template that is not there was rendered")
	}
	fmt.Println("refused", refusal.Extensions.Code)
}

func must(err error) {
	if err != nil {
		log.Fatal(err)
	}
}
