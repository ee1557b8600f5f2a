module partita.example/go

go 1.21
