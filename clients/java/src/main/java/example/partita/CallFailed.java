package example.partita;

/** A call that was refused or had no reply. Its code is DynamoDB's name for it, such as ResourceNotFoundException. */
public final class CallFailed extends RuntimeException {
    private static final long serialVersionUID = 1L;
    private final String code;

    CallFailed(String operation, String code, String message) {
        super(operation + ": " + code + ": " + message);
        this.code = code;
    }

    public String code() {
        return code;
    }
}
