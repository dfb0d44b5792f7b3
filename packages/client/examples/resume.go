// Prints every swap, without the SDK: it reconnects by itself and resumes from a cursor that it keeps in a file.
package main

import (
	"fmt"
	"github.com/gorilla/websocket" // go get github.com/gorilla/websocket
	"log"
	"os"
	"time"
)

func main() {
	for params := map[string]any{}; ; time.Sleep(time.Second) {
		if cursor, err := os.ReadFile("cursor"); err == nil {
			params["resume_from"] = string(cursor)
		}
		stream, _, err := websocket.DefaultDialer.Dial(os.Getenv("PAIRWIRE_URL"), map[string][]string{"X-Api-Key": {os.Getenv("PAIRWIRE_KEY")}})
		if err == nil {
			err = stream.WriteJSON(map[string]any{"id": 1, "method": "swapSubscribe", "params": params})
		}
		for message := map[string]any{}; err == nil; {
			stream.SetReadDeadline(time.Now().Add(time.Minute)) // a minute without a swap: the line is dead
			err = stream.ReadJSON(&message)
			if refusal, is := message["error"].(map[string]any); is {
				if data := refusal["data"].(map[string]any); data["errorType"] == "CURSOR_TOO_OLD" && data["oldest"] != nil {
					os.WriteFile("cursor", []byte(data["oldest"].(string)), 0o600) // swaps before it are lost
				} else if code := refusal["code"]; code != -32014.0 && code != -32029.0 && code != -32603.0 {
					log.Fatal(refusal["message"]) // no retry helps
				}
				err, _ = fmt.Errorf("%v", refusal["message"]), stream.Close()
			} else if message["method"] == "swapNotification" {
				swap := message["params"].(map[string]any)["swap"].(map[string]any)
				fmt.Println(swap["swapType"], swap["usdValue"], swap["baseTokenMint"])
				os.WriteFile("cursor.new", []byte(message["cursor"].(string)), 0o600)
				os.Rename("cursor.new", "cursor") // a crash leaves the old one or the new one
			}
		}
		log.Println(err)
	}
}
