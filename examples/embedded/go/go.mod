module partita.example/embedded

go 1.20
