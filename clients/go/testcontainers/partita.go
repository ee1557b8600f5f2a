// Package testcontainers runs Partita in a container: a server in memory, with namespaces by access key.
package testcontainers

import (
	"context"

	"github.com/testcontainers/testcontainers-go"
	"github.com/testcontainers/testcontainers-go/wait"

	partita "partita.example/go"
)

const (
	// Image is the one for Run.
	Image = "partita:0.1.0"
	port  = "8000/tcp"
)

// Container is a running container. Terminate ends it.
type Container struct {
	testcontainers.Container
	Endpoint string // the server's URL
}

// Options are those of `partita serve`. Files that they name are in the container.
func Options(options ...string) testcontainers.ContainerCustomizer {
	return testcontainers.WithCmdArgs(options...)
}

// Run starts a container with this image, and with Options or any of the package testcontainers-go.
func Run(ctx context.Context, image string, options ...testcontainers.ContainerCustomizer) (*Container, error) {
	running, err := testcontainers.Run(ctx, image, append(own(), options...)...)
	if err != nil {
		return nil, err
	}
	endpoint, err := running.PortEndpoint(ctx, port, "http")
	if err != nil {
		_ = testcontainers.TerminateContainer(running)
		return nil, err
	}
	return &Container{running, endpoint}, nil
}

// Database is that of a namespace: the server makes it when it is first used.
func (c *Container) Database(namespace string) *partita.Database {
	return &partita.Database{Endpoint: c.Endpoint, Namespace: namespace}
}

func own() []testcontainers.ContainerCustomizer {
	return []testcontainers.ContainerCustomizer{
		testcontainers.WithExposedPorts(port),
		// Only the host and other containers reach the port.
		testcontainers.WithCmd("serve", "--listen", "0.0.0.0:8000", "--insecure", "--in-memory", "--namespaces", "key"),
		testcontainers.WithWaitStrategy(wait.ForHTTP("/").WithPort(port)),
	}
}
