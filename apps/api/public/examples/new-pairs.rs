// cargo add serde_json && cargo add tungstenite --features rustls-tls-webpki-roots
use serde_json::{json, Value};
use tungstenite::{connect, Message};

fn main() -> Result<(), Box<dyn std::error::Error>> {
    let key = std::env::var("PAIRWIRE_KEY")?;
    let (mut stream, _) = connect(format!("ws://localhost:8080/?key={key}"))?;

    let request = json!({
        "jsonrpc": "2.0",
        "id": 1,
        "method": "newPairSubscribe",
        "params": { "include_launchpad_tokens": true },
    });
    stream.send(Message::text(request.to_string()))?;

    loop {
        let Message::Text(text) = stream.read()? else {
            continue;
        };
        let frame: Value = serde_json::from_str(&text)?;
        if let Some(error) = frame.get("error") {
            eprintln!("{}", error["message"]);
        }
        if frame["method"] != "newPairNotification" {
            continue;
        }

        let pair = &frame["params"]["pair"];
        let token = &pair["baseToken"];
        let symbol = &token["info"]["metadata"]["symbol"];
        println!("{} {} {}", pair["sourceExchange"], symbol, token["account"]);
    }
}
