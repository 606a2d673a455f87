package dev.holdfast.jdbc;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.holdfast.jdbc.sql.TableVersion;
import dev.holdfast.jdbc.sql.Tables;
import java.util.List;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;
import org.junit.jupiter.params.provider.ValueSource;

class TablesTest {
    @Test
    void theBucketOfANameNeverChanges() {
        // A release that hashed differently would give one name two counters: tokens could go back.
        assertThat(Tables.bucket("invoice-42")).isEqualTo(27);
        assertThat(Tables.bucket("größe")).isEqualTo(137);
    }

    @ParameterizedTest
    @EnumSource(Database.class)
    void thePrefixIsInEveryStatementThatCreates(Database database) {
        // A table that kept its default name would be shared with another application by accident.
        Tables tables = new Tables("locks.app_");
        List<String> statements = tables.ddlStatements(database.dialect().ddlName());
        assertThat(statements).hasSize(6).noneMatch(each -> each.contains("holdfast_"));
        assertThat(statements.subList(0, 5)).allMatch(each -> each.startsWith("CREATE TABLE IF NOT EXISTS locks.app_"));
        assertThat(statements.get(5)).contains("INTO locks.app_fence", "-3", String.valueOf(TableVersion.CURRENT));
        assertThat(JdbcBackend.ddl(database)).contains("holdfast_lock", "holdfast_fence");
    }

    @Test
    void commentsDoNotTravel() {
        // Statements are commented like code; the server need not read it.
        assertThat(new Tables("app_").statement("acquire.sql"))
                .startsWith("BEGIN")
                .endsWith("COMMIT")
                .contains("app_lock")
                .doesNotContain("--", "holdfast_");
    }

    @ParameterizedTest
    @ValueSource(strings = {"", "a b", "a;drop", "1x", "a.b.c", "a\"b", "."})
    void aPrefixThatIsNotANameIsRefused(String prefix) {
        // It becomes part of statements.
        assertThatThrownBy(() -> new Tables(prefix)).isInstanceOf(IllegalArgumentException.class);
    }
}
